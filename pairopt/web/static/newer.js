"use strict";
/* The event changes elsewhere too: on another laptop, by a command. A page that is older than the
   event is shown again by itself, with the focus, and the row under the mouse, where they were.
   While somebody is at work on it, or it is a round that is not published yet, it only offers that. */

const EVERY = 2000;

function at_work(main) {
  const active = document.activeElement ?? main;
  return (
    [...main.querySelectorAll(":is(input, select, textarea):not(#slip)")].some(touched) ||
    main.querySelector('details[open], .refused, .asks, form[action*="/publish"]') !== null ||
    (active.id !== "slip" && typing(active)) ||
    !getSelection().isCollapsed
  );
}

/* The parts that are new take the places of the old ones, also under somebody's hands. */
async function renewed(main, state) {
  if (!document.getElementById("lane") || !document.getElementById("newer").hidden) return false;
  const answer = await fetch(location, { headers: { since: state } });
  const parts = await answer.text();
  if (under_way || !main.isConnected || main.dataset.state !== state) return true; // too late
  const now = answer.headers.get("state");
  if (now === null) return false;
  renew_state(now);
  place = { ...take_place(null, document.querySelector("[data-row]:hover")), renewal: true };
  htmx.swap("body", parts, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
  return true;
}

function show() {
  htmx.ajax("GET", location.pathname + location.search, { target: "body", swap: "innerHTML" });
}

async function look() {
  const main = document.getElementById("main");
  const state = main.dataset.state;
  if (state === undefined || under_way || document.hidden) return;
  let status = 0;
  try {
    const how = { headers: { "If-None-Match": `"${state}"` }, signal: AbortSignal.timeout(PATIENCE) };
    const answer = await fetch(`${ROOT}/state`, how);
    status = answer.status;
    const told = answer.headers.get("told");
    if (told) document.querySelector("#newer span").textContent = `${decodeURIComponent(told)}.`;
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
