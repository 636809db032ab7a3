"use strict";
/* The event changes elsewhere too: on another laptop, by a command. A page that is older than the
   event is shown again by itself, with the focus, and the row under the mouse, where they were.
   While somebody is at work on it, it only offers that. */

const EVERY = 2000;
let held = null;

function touched(field) {
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  if (field.localName !== "select") return field.value !== field.defaultValue;
  return field.value !== (field.querySelector("[selected]") ?? field.options[0])?.value;
}

function at_work(main) {
  const active = document.activeElement ?? main;
  return (
    [...main.querySelectorAll(":is(input, select, textarea):not(#slip)")].some(touched) ||
    main.querySelector("details[open], .refused, .asks") !== null ||
    (active.id !== "slip" && typing(active)) ||
    !getSelection().isCollapsed
  );
}

function hold() {
  const active = document.activeElement ?? document.body;
  const row = document.querySelector("[data-row]:hover") ?? active.closest("[data-row]");
  const typed = document.getElementById("slip")?.value;
  held = { focus: sign(active), row: row?.id, top: row?.getBoundingClientRect().top, typed };
}

/* The parts that are new take the places of the old ones, also under somebody's hands. */
async function renewed(main, state) {
  if (!document.getElementById("lane") || !document.getElementById("newer").hidden) return false;
  const answer = await fetch(location, { headers: { since: state } });
  const parts = await answer.text();
  if (under_way || !main.isConnected || main.dataset.state !== state) return true; // too late
  const now = answer.headers.get("state");
  if (now === null) return false;
  main.dataset.state = now;
  hold();
  htmx.swap("body", parts, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
  return true;
}

function show() {
  hold();
  htmx.ajax("GET", location.pathname + location.search, { target: "body", swap: "innerHTML" });
}

/* before the keys that wait are pressed: where their row is gone they mean no other */
document.addEventListener(
  "htmx:afterSettle",
  () => {
    if (held === null) return;
    const { focus, row, top, typed } = held;
    held = null;
    const slip = document.getElementById("slip");
    if (slip && typed && slip.value !== typed) slip.value = typed;
    const same = signed(focus);
    if (same) same.focus({ preventScroll: true });
    else {
      document.activeElement?.blur();
      waiting.length = 0;
    }
    const now = row && document.getElementById(row);
    if (now) scrollBy(0, now.getBoundingClientRect().top - top);
  },
  true,
);

document.addEventListener("htmx:sendError", () => {
  held = null;
});

async function look() {
  const main = document.getElementById("main");
  const state = main.dataset.state;
  if (state === undefined || under_way || document.hidden) return;
  let status = 0;
  try {
    status = (await fetch(`${ROOT}/state`, { headers: { "If-None-Match": `"${state}"` } })).status;
  } catch {
    // said below
  }
  if (under_way || !main.isConnected) return;
  document.getElementById("silent").hidden = [204, 304].includes(status);
  if (status !== 204 || (await renewed(main, state))) return;
  if (at_work(main)) document.getElementById("newer").hidden = false;
  else show();
}

async function follow() {
  await look();
  setTimeout(follow, EVERY);
}

follow();
document.addEventListener("visibilitychange", look);
document.addEventListener("click", (event) => {
  if (event.target.closest("#newer button")) show();
});
