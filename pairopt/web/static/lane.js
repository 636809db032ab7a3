"use strict";
/* Enter results by typing slips: a table and its result ("17 1"), or a name to find a table.

   Slips are sent one after the other, in the order in which they were typed. The next one can be
   typed at once. A question keeps later slips waiting; y and n answer it also from the empty lane.
   A refused slip comes back into the field, selected, if the field is empty. */

const SLIP = /^B?[0-9]+[\s+*]+\S/i;
const TABLE = /^B?[0-9]+/i;
const WAITING = "Waiting: ";
const PAUSE = 120;
/** Form values of the slips that are not sent yet. */
const slips = [];
/** Slips that were refused, with the reasons. */
const returned = [];
/** What is wrong with the text in the field, if it is no slip. */
let remark = "";
/** The refused slip that is in the field again, or null. */
let again = null;

/** Return the field for slips. */
const lane = () => document.getElementById("slip");
/** Return the question or refusal of the last slip. */
const question = () => document.querySelector("#asked :is(.asks, .refused)");

/**
 * Return the row of a table, which may be typed with zeros in front.
 * @param {string} table
 */
function row_of(table) {
  return document.getElementById(`table-${table.toUpperCase().replace(/^(B?)0+/, "$1")}`);
}

/** Show the slips that wait below the field, or what is wrong with the text in it. */
function show_waiting() {
  const waits = slips.map((values) => values.slip).join(", ");
  const place = document.getElementById("found");
  if (waits) place.textContent = WAITING + waits;
  else if (remark || place.textContent.startsWith(WAITING)) place.textContent = remark;
}

/** Show the refused slips, each with buttons to edit it again or to leave it. */
function show_returned() {
  const lines = returned.map((each) => {
    const line = document.createElement("p");
    line.className = "refused";
    for (const [words, key] of [[each.slip, "again"], ["Discard", "leave"]]) {
      const button = document.createElement("button");
      button.type = "button";
      button.textContent = words;
      button.onclick = () => {
        returned.splice(returned.indexOf(each), 1);
        if (again === each) [again, lane().value] = [null, ""];
        if (key === "again") lane().value = each.slip;
        show_returned();
        lane().focus();
      };
      line.append(button, key === "again" ? ` ${each.why} ` : "");
    }
    return line;
  });
  document.getElementById("returned").replaceChildren(...lines);
}

/**
 * Move a refused slip to the returned ones, with the reason that the page shows.
 * @param {string} slip
 */
function take_back(slip) {
  const reasons = [...document.querySelectorAll("#asked .refused :is(section > p, li)")];
  returned.push({ slip, why: reasons.map((line) => line.innerText.trim()).join("; ") });
  document.getElementById("asked").replaceChildren();
}

/** Put the next refused slip into the field if it is empty and nothing else waits. */
function offer_again() {
  const next = returned.find((each) => !each.passed);
  if (!next || slips.length > 0 || lane().value !== "" || question()) return;
  again = next;
  lane().value = again.slip;
  lane().select();
}

/** Send the next slip, unless a request is under way or a question is open. */
function send() {
  const field = lane();
  const asks = document.querySelector("#asked .asks");
  if (under_way || !field || asks || slips.length === 0) return;
  const swap = { source: field.form, target: "body", swap: "innerHTML", values: slips[0] };
  htmx.ajax("POST", field.form.getAttribute("action"), swap);
}

/** The number of searches so far: the answer to an older one is ignored. */
let searches = 0;
let pause = 0;

/**
 * Show below the field whom the typed text may mean.
 *
 * The names at a table on the page are shown at once; other names come from the server.
 * @param {string} typed
 */
async function search(typed) {
  const number = ++searches;
  const place = document.getElementById("found");
  const row = TABLE.test(typed) ? row_of(TABLE.exec(typed)[0]) : null;
  const cells = row ? [...row.cells].slice(0, 3).map((cell) => cell.innerText.trim()) : [];
  place.textContent = row ? `${cells[0]}: ${cells[1]} – ${cells[2]}` : "";
  if (row || typed === "") return;
  const query = new URLSearchParams({ slip: TABLE.exec(typed)?.[0] ?? typed });
  const round = lane().form.elements.round;
  if (round) query.set("round", round.value);
  const answer = await fetch(`${ROOT}/results/found?${query}`);
  const text = await answer.text();
  if (answer.ok && number === searches && place.isConnected) place.innerHTML = text;
}

/**
 * Begin a slip for a table in the field.
 * @param {string} table
 */
function take(table) {
  const field = lane();
  field.value = `${table} `;
  field.focus();
  search(field.value);
}

/** Take the text in the field: queue a slip, or find the table of a name. */
async function enter() {
  const field = lane();
  const typed = field.value.trim();
  if (SLIP.test(typed)) {
    if (again) returned.splice(returned.indexOf(again), 1);
    again = null;
    show_returned();
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
    else if (tables.length > 0) tables[0].focus();
    else if (lane()?.value.trim() === typed) {
      remark = `No player is called ${typed}. Type a table and its result, for example 17 1.`;
      document.getElementById("found").textContent = remark;
      lane().select();
    }
  }
}

document.addEventListener("input", (event) => {
  if (event.target !== lane()) return;
  remark = "";
  if (again && lane().value.length < 2) [again.passed, again] = [true, null]; // typed over: its line stays
  clearTimeout(pause);
  const typed = event.target.value.trim();
  pause = setTimeout(() => search(typed), row_of(TABLE.exec(typed)?.[0] ?? "") ? 0 : PAUSE);
});

document.addEventListener("keydown", (event) => {
  const field = lane();
  if (event.target !== field || event.ctrlKey || event.altKey || event.metaKey) return;
  const answer = (field.value === "" || again) && question()?.querySelector(`[data-key="${CSS.escape(event.key)}"]`);
  if (answer) answer.click();
  else if (event.key === "/" && field.value === "") document.querySelector(".whom input")?.focus();
  else if (event.key === "Enter") enter();
  else if (event.key === "Escape" && field.value === "") go_on();
  else if (event.key === "Escape") remark = field.value = "";
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

/** Move the focus to the next table without a result. */
function go_on() {
  const next = document.getElementById("count")?.dataset.next;
  (document.getElementById(`table-${next}`) ?? document.querySelector("[data-row]"))?.querySelector("button")?.focus();
}

/**
 * Move the focus back after a question was left: to the lane, or to the table it was about.
 * @param {string} action the address of the question's form
 */
function back(action) {
  const { pathname, searchParams } = new URL(action, location);
  if (pathname === `${ROOT}/results/slip`) lane()?.focus();
  else if (document.activeElement !== lane()) {
    const at = searchParams.get("at");
    document.getElementById(`table-${at}`)?.querySelector("button")?.focus();
  }
}

/* A change asks only for the parts of the page that it changes. */

document.addEventListener("htmx:configRequest", ({ detail }) => {
  if (lane() && detail.verb === "post") {
    detail.headers.since = document.getElementById("main").dataset.state;
  }
});

/** What the last answer was about, until the page has settled; or null. */
let answered = null;

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { path } = detail.requestConfig;
  const state = detail.xhr.getResponseHeader("state");
  const slip = path.startsWith(`${ROOT}/results/slip`);
  const mine = slip && detail.requestConfig.elt.id === "lane" && slips.shift();
  const refused = mine && detail.xhr.status >= 400 && mine.slip;
  answered = { path, slip, refused, parts: state !== null, focused: document.activeElement === lane() };
  if (state !== null) renew_state(state);
});

document.addEventListener(
  "htmx:afterSettle",
  () => {
    if (answered === null || !lane()) return;
    const { slip, parts, focused, refused } = answered;
    answered = null;
    if (refused) take_back(refused);
    show_returned();
    if (slip) offer_again();
    if (slip || focused) lane().focus();
    else if (parts && !question()) go_on();
    if (slip) show_waiting();
    setTimeout(send);
  },
  true,
);

// Send again if nobody has answered.
setInterval(send, 1000);
addEventListener("beforeunload", (event) => {
  if (slips.length > 0) event.preventDefault();
});
