"use strict";
/* Keep the user's place when a page replaces another one of the same view.

   The place is what has the focus, where its row is in the window, and what was typed in other
   forms. It is restored after a change as well as after an update, and the answer is scrolled into
   the window. In a table, Tab reaches one element, and arrows reach the others. */

const ANSWERS = ".asks, .refused, .messages, .faults, .said";
const ROWS = "main tr";
/** Milliseconds after which the page says that an answer is slow. */
const PATIENCE = 4000;
/** The place on the page that is being replaced, or null. */
let place = null;
/** The place from which the present question came, or null. */
let origin = null;
let patience = 0;

/** Return the path of the page's view. */
const here = () => document.getElementById("main")?.dataset.here;
/** Return the visible elements of a row that can have the focus. */
const stops_in = (row) => [...row.querySelectorAll(STOPS)].filter((each) => each.checkVisibility() && each.type !== "hidden");

/**
 * Note the state of the event that the page shows now.
 * @param {string} state
 */
function renew_state(state) {
  document.getElementById("main").dataset.state = state;
  const field = document.querySelector("#lane [name=state]");
  if (field) field.value = state;
}

/**
 * Return whether the user has changed a field.
 * @param {HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement} field
 * @returns {boolean}
 */
function touched(field) {
  if (["checkbox", "radio"].includes(field.type)) return field.checked !== field.defaultChecked;
  if (field.localName !== "select") return field.value !== field.defaultValue;
  return field.value !== (field.querySelector("[selected]") ?? field.options[0])?.value;
}

/**
 * Return a text by which a field is found again on a newer page.
 * @param {HTMLElement} field
 * @returns {string}
 */
function field_sign(field) {
  const form = field.form?.getAttribute("action")?.split("?")[0];
  return JSON.stringify([form, field.name, field.type === "radio" && field.value, field.closest("tr[id]")?.id]);
}

/** Return the fields of the page whose values are kept. */
const fields = () => [...document.querySelectorAll("main :is(input, select, textarea)")]
  .filter((each) => each.name && !["hidden", "file", "submit"].includes(each.type));

/**
 * Return the user's place on the page, to be restored by `give_back`.
 * @param {HTMLFormElement | null} form the form that is sent; its values are not kept
 * @param {Element | null} hovered a row under the mouse, which counts as the user's row
 */
function take_place(form, hovered) {
  const active = document.activeElement ?? document.body;
  const rows = [...document.querySelectorAll(ROWS)];
  const row = hovered ?? active.closest(ROWS);
  // The values of the form that is sent are not needed, except for the lane's next slip.
  const kept = (each) => each.form === null || each.form !== form || each.id === "slip";
  const typed = fields().filter((each) => kept(each) && touched(each));
  const values = typed.map((each) => [field_sign(each), each.value, each.checked]);
  const open = [...document.querySelectorAll("main details[open] > summary")].map(sign);
  if (origin && asked_at(active) !== null) return { ...origin, values, open };
  return {
    here: here(), values, open, focus: sign(active), row: row?.id, at: rows.indexOf(row), scroll: scrollY,
    stop: row ? stops_in(row).indexOf(active) : -1, top: (row ?? active).getBoundingClientRect().top,
    focused: active !== document.body && active.id !== "main", lane: active.closest(".lane") !== null,
    chosen: Number.isInteger(active.selectionStart) ? [active.selectionStart, active.selectionEnd] : null, // not of a number
  };
}

/** Scroll the answer of the page, and the element with the focus, into the window. */
function into_view() {
  const lane = document.querySelector(".lane")?.getBoundingClientRect().bottom ?? 0;
  for (const each of [document.querySelector(`main :is(${ANSWERS})`), document.activeElement]) {
    if (!each || each === document.body || each.id === "main") continue;
    const { top, bottom } = each.getBoundingClientRect();
    const from = each.closest(".lane, .messages") ? 0 : lane;
    if (top < from || bottom > innerHeight) each.scrollIntoView({ block: bottom - top > innerHeight ? "start" : "center" });
  }
}

/**
 * Restore what was typed, at once, so that the user can go on typing.
 * @param place as `take_place` returns it
 */
function give_back_typed({ here: view, values, open, focus, focused, chosen }) {
  if (view !== here()) return;
  for (const [known, value, checked] of values) {
    const field = fields().find((each) => field_sign(each) === known);
    if (!field || touched(field)) continue;
    if (["checkbox", "radio"].includes(field.type)) field.checked = checked;
    else field.value = value;
    for (let around = field.closest("details"); around; around = around.parentElement.closest("details")) around.open = true;
  }
  for (const known of open) {
    const summary = signed(known);
    if (summary) summary.parentElement.open = true;
  }
  const found = focused && chosen ? signed(focus) : null;
  found?.focus({ preventScroll: true });
  found?.setSelectionRange?.(...chosen);
}

/**
 * Restore the scroll position and the focus.
 * @param place as `take_place` returns it; with `renewal` the page was updated by itself
 */
function give_back({ here: view, focus, row, at, stop, top, scroll, focused, lane, renewal }) {
  if (view !== here()) {
    origin = null;
    scrollTo(0, 0);
    return;
  }
  const rows = [...document.querySelectorAll(ROWS)];
  const same = row && document.getElementById(row);
  const beside = same || (at >= 0 && row && rows[Math.min(at, rows.length - 1)]);
  const found = focused ? signed(focus) : null;
  const anchor = beside || (found?.closest(".lane") ? null : found); // stays where it was in the window
  if (anchor) scrollBy(0, anchor.getBoundingClientRect().top - top);
  else scrollTo(0, scroll);
  const wants = document.querySelector("main [autofocus]");
  if (wants && !lane && !(renewal && found)) wants.focus({ preventScroll: true });
  else if (focused) {
    if (!found) waiting.length = 0; // keys that wait are of what is gone
    if (!found && renewal) return document.activeElement?.blur();
    const near = beside ? stops_in(beside) : [];
    const next = found ?? near[Math.min(Math.max(stop, 0), near.length - 1)] ?? document.getElementById("main");
    next.focus({ preventScroll: true });
  }
}

document.addEventListener("htmx:beforeSwap", ({ detail }) => {
  const { verb, elt, triggeringEvent } = detail.requestConfig;
  if (detail.target !== document.body) return;
  const renewal = verb === "get" && !triggeringEvent; // by itself
  const hovered = renewal ? document.querySelector("[data-row]:hover") : null;
  place = { ...take_place(elt.closest("form"), hovered), renewal, given: false };
});

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  const menu = detail.requestConfig.triggeringEvent?.submitter?.closest("details:is(.menu, .more)");
  if (menu) {
    menu.querySelector("summary").focus({ preventScroll: true });
    menu.open = false;
  }
  clearTimeout(patience);
  patience = setTimeout(() => { document.getElementById("slow").hidden = false; }, PATIENCE);
});

document.addEventListener("htmx:afterRequest", () => {
  clearTimeout(patience);
  document.getElementById("slow").hidden = true;
});

document.addEventListener("htmx:afterSwap", () => {
  if (place === null || place.given) return;
  place.given = true;
  give_back_typed(place);
}, true);

/* This runs before the keys that wait are pressed. */
document.addEventListener(
  "htmx:afterSettle",
  () => {
    rove();
    if (place === null) return;
    const { renewal } = place;
    give_back(place);
    origin = document.querySelector(".asks, .refused") ? place : null;
    place = null;
    if (!renewal) into_view();
  },
  true,
);

/** Give each table one stop of the Tab key: where the focus was last, otherwise its first. */
function rove() {
  const active = document.activeElement;
  for (const table of document.querySelectorAll("main table")) {
    const every = [...table.querySelectorAll(STOPS)].filter((each) => each.type !== "hidden");
    const known = every.find((each) => each === active) ?? every.find((each) => each.autofocus) ?? every[0];
    for (const each of every) each.tabIndex = each === known ? 0 : -1;
  }
}

document.addEventListener("focusin", ({ target }) => {
  const table = target.closest("main table");
  if (!table) return;
  for (const each of table.querySelectorAll('[tabindex="0"]')) each.tabIndex = -1;
  target.tabIndex = 0;
});

document.addEventListener("keydown", (event) => {
  const row = event.target.closest(ROWS);
  const step = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: 1, ArrowUp: -1 }[event.key];
  if (!row || !step || event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  const stops = stops_in(row), at = stops.indexOf(event.target);
  event.preventDefault();
  event.stopPropagation();
  if (["ArrowRight", "ArrowLeft"].includes(event.key)) return stops[at + step]?.focus();
  const rows = [...row.closest("table").rows].filter((each) => stops_in(each).length > 0);
  const next = rows[rows.indexOf(row) + step];
  if (!next) return;
  const there = stops_in(next);
  there[Math.min(at, there.length - 1)].focus();
}, true);

rove();
