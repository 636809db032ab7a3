"use strict";
/* Slips: lines of a table and its result, as "17 1", or a name that leads to a table. What is typed
   is sent line after line, in its order, and the next can be typed at once; a question or a refusal
   keeps the later ones waiting. Y and n answer it from the empty lane, too. */

const SLIP = /^B?[0-9]+[\s+*]+\S/i;
const TABLE = /^B?[0-9]+/i;
const PAUSE = 120;
const slips = [];

const lane = () => document.getElementById("slip");
const question = () => document.querySelector("#asked :is(.asks, .refused)");

function row_of(table) {
  return document.getElementById(`table-${table.toUpperCase().replace(/^(B?)0+/, "$1")}`);
}

function show_waiting() {
  const waits = slips.map((values) => values.slip).join(", ");
  document.getElementById("found").textContent = waits && `Waiting: ${waits}`;
}

function send() {
  const field = lane();
  if (under_way || !field || question() || slips.length === 0) return;
  const swap = { source: field.form, target: "body", swap: "innerHTML", values: slips[0] };
  htmx.ajax("POST", field.form.getAttribute("action"), swap);
}

/* Names come from the server, a table that is on the page at once: its names are those of the slip. */

let searches = 0;
let pause = 0;

async function search(typed) {
  const mine = ++searches;
  const place = document.getElementById("found");
  const row = TABLE.test(typed) ? row_of(TABLE.exec(typed)[0]) : null;
  const cells = row ? [...row.cells].slice(0, 3).map((cell) => cell.innerText.trim()) : [];
  place.textContent = row ? `${cells[0]}: ${cells[1]} – ${cells[2]}` : "";
  if (row || typed === "") return;
  const asked = new URLSearchParams({ slip: TABLE.exec(typed)?.[0] ?? typed });
  const round = lane().form.elements.round;
  if (round) asked.set("round", round.value);
  const answer = await fetch(`${ROOT}/results/found?${asked}`);
  const text = await answer.text();
  if (answer.ok && mine === searches && place.isConnected) place.innerHTML = text;
}

function take(table) {
  const field = lane();
  field.value = `${table} `;
  field.focus();
  search(field.value);
}

async function enter() {
  const field = lane();
  const typed = field.value.trim();
  if (SLIP.test(typed)) {
    slips.push({ ...Object.fromEntries(new FormData(field.form)), slip: typed });
    field.value = "";
    clearTimeout(pause);
    searches += 1;
    show_waiting();
    send();
  } else if (typed !== "") {
    clearTimeout(pause);
    await search(typed);
    const tables = [...document.querySelectorAll("#found [data-table]")];
    if (row_of(typed)) take(typed);
    else if (tables.length === 1 && !("near" in tables[0].dataset)) take(tables[0].dataset.table);
    else tables[0]?.focus();
  }
}

document.addEventListener("input", (event) => {
  if (event.target !== lane()) return;
  clearTimeout(pause);
  const typed = event.target.value.trim();
  pause = setTimeout(() => search(typed), row_of(TABLE.exec(typed)?.[0] ?? "") ? 0 : PAUSE);
});

document.addEventListener("keydown", (event) => {
  const field = lane();
  if (event.target !== field || event.ctrlKey || event.altKey || event.metaKey) return;
  const answer = field.value === "" && question()?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (answer) answer.click();
  else if (event.key === "Enter") enter();
  else if (event.key === "Escape" && field.value === "") go_on();
  else if (event.key === "Escape") field.value = "";
  else return;
  event.preventDefault();
});

document.addEventListener(
  "submit",
  (event) => {
    if (event.target.id !== "lane" || event.submitter?.formMethod === "get") return;
    event.preventDefault();
    event.stopPropagation();
    enter();
  },
  true,
);

document.addEventListener(
  "click",
  (event) => {
    const table = event.target.closest("#found [data-table]")?.dataset.table;
    const no = event.target.closest('#asked a[data-key="n"]');
    if (table) take(table);
    if (!no) return;
    event.preventDefault();
    event.stopPropagation();
    const { action } = no.closest("form");
    document.getElementById("asked").replaceChildren();
    back(action);
    send();
  },
  true,
);

/* To the table that is to come; from the lane, and from what it has asked, to the lane. */

function go_on() {
  const next = document.getElementById("count")?.dataset.next;
  (document.getElementById(`table-${next}`) ?? document.querySelector("[data-row]"))?.querySelector("button")?.focus();
}

function back(action) {
  const { pathname, searchParams } = new URL(action, location);
  if (pathname === `${ROOT}/results/slip`) lane()?.focus();
  else if (document.activeElement !== lane()) {
    const at = searchParams.get("at");
    document.getElementById(`table-${at}`)?.querySelector("button")?.focus();
  }
}

/* What changes something asks for what is new alone. */

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (lane() && detail.verb === "post") {
    detail.headers.since = document.getElementById("main").dataset.state;
  }
});

let answered = null;

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { path } = detail.requestConfig;
  const state = detail.xhr.getResponseHeader("state");
  const slip = path.startsWith(`${ROOT}/results/slip`);
  if (slip && slips.length > 0 && detail.requestConfig.elt.id === "lane") slips.shift();
  answered = { path, slip, parts: state !== null, typed: lane()?.value, focused: document.activeElement === lane() };
  if (state !== null) document.getElementById("main").dataset.state = state;
});

document.addEventListener(
  "htmx:afterSettle",
  () => {
    if (answered === null || !lane()) return;
    const { slip, parts, typed, focused } = answered;
    answered = null;
    if (!parts && typed) lane().value = typed;
    if (slip || focused) lane().focus();
    else if (parts && !question()) go_on();
    if (slip) show_waiting();
    setTimeout(send);
  },
  true,
);

setInterval(send, 1000); // where nobody has answered
addEventListener("beforeunload", (event) => {
  if (slips.length > 0) event.preventDefault();
});
