"use strict";
/* Press buttons and links by keys.

   A button or link with data-key is pressed by one of its keys: within a row ([data-row]) while
   something in the row has the focus, elsewhere from anywhere on the page. Arrows (and j, k) go
   from row to row. While a request is under way, keys, clicks and dropped files wait for the page
   that comes. A click is forgotten if that page asks another question, or has no such button. */

/** The prefix of this event's addresses; "" if it is the only event. */
const ROOT = document.body.dataset.root;

/** The request that is under way, or null. */
let under_way = null;
/** Functions to call when the request has been answered. */
const waiting = [];

/** Keys that the browser turns into clicks or moves of the focus; they do not wait. */
const NATIVE = ["enter", " ", "tab"];
const STOPS = "a, button, input, select, textarea, summary, [tabindex]";

/**
 * Return a text by which an element that can have the focus is found again on a newer page.
 *
 * What is typed into a field is not part of it.
 * @param {HTMLElement} element
 * @returns {string}
 */
function sign(element) {
  const label = element.ariaLabel ?? element.textContent;
  const value = typing(element) ? element.form?.getAttribute("action")?.split("?")[0] : element.value;
  return JSON.stringify([element.localName, element.name, value, label, element.closest("[data-row]")?.id]);
}

/**
 * Return the element of the page with this text of `sign`.
 * @param {string} signature
 * @returns {HTMLElement | undefined}
 */
function signed(signature) {
  return [...document.querySelectorAll(STOPS)].find((element) => sign(element) === signature);
}

/** The question, or the reason of a refusal, on a page. */
const QUESTION = ".refused, .asks";

/**
 * Return the text of the question or refusal around an element, null if there is none.
 * @param {Element | null} element
 * @returns {string | null}
 */
function asked_at(element) {
  return element?.closest(QUESTION)?.textContent ?? null;
}

/**
 * Return whether an element is a field that takes letters.
 * @param {Element} target
 * @returns {boolean}
 */
function typing(target) {
  const field = target.closest("input, textarea, select");
  return field !== null && !["checkbox", "radio", "submit"].includes(field.type);
}

/**
 * Move the focus from a row to the next or previous one; to the first without a row.
 * @param {Element | null | undefined} from
 * @param {number} step 1 or -1
 * @returns {boolean} whether the page has rows
 */
function go(from, step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const position = from ? rows.indexOf(from) + step : 0;
  const row = rows[Math.min(Math.max(position, 0), rows.length - 1)];
  row?.querySelector("button, a, input:not([type=hidden])")?.focus();
  return rows.length > 0;
}

/**
 * Press the button or link of a key, or move to another row.
 * @param {string} key in lower case
 * @returns {boolean} whether the key has a meaning on the page
 */
function press(key) {
  const row = document.activeElement?.closest("[data-row]");
  const step = { arrowdown: 1, j: 1, arrowup: -1, k: -1 }[key];
  if (step) return go(row, step);
  const has_key = (element) => element.dataset.key.split(" ").includes(key);
  const elements = [...document.querySelectorAll("[data-key]")].filter(has_key);
  const in_row = elements.find((element) => row?.contains(element));
  const button = in_row ?? elements.find((element) => !element.closest("[data-row]"));
  button?.click();
  return button !== undefined;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  const key = event.key.toLowerCase();
  if (NATIVE.includes(key)) return;
  if (under_way) waiting.push(() => press(key));
  else if (!press(key)) return;
  event.preventDefault();
});

document.addEventListener(
  "click",
  (event) => {
    const button = event.target.closest("main button");
    if (!under_way || button === null) return;
    event.preventDefault();
    event.stopPropagation();
    const signature = sign(button);
    const question = asked_at(button);
    waiting.push(() => {
      const new_question = asked_at(document.querySelector(QUESTION));
      if (new_question === null || new_question === question) signed(signature)?.click();
    });
  },
  true,
);

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  under_way = detail.xhr;
});

/* An answer settles part by part; with the first of them all parts are in their places. */
for (const end of ["htmx:afterSettle", "htmx:sendError", "htmx:sendAbort", "htmx:timeout"]) {
  document.addEventListener(end, ({ detail }) => {
    if (detail.xhr !== under_way) return;
    under_way = null;
    while (!under_way && waiting.length > 0) waiting.shift()();
  });
}

/**
 * Close the open menus, except for one; a menu that had the focus leaves it on its name.
 * @param {Element | null} clicked an element in the menu that stays open
 */
function close_menus(clicked) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu.contains(clicked)) continue;
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
}

document.addEventListener("click", (event) => close_menus(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close_menus(null);
});

/** Return the field of the page that takes a file; a file can be dropped anywhere. */
const taking = () => document.querySelector("input[type=file]");

document.addEventListener("dragover", (event) => {
  if (taking()) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const files = event.dataTransfer?.files;
  if (!taking() || !files?.length) return;
  event.preventDefault();
  const take = () => {
    const field = taking();
    if (!field) return;
    field.files = files;
    field.form.requestSubmit();
  };
  if (under_way) waiting.push(take);
  else take();
});

/**
 * Say that a chosen file is too large before it is sent.
 * @param {InputEvent} event
 */
function measured(event) {
  const { files, dataset } = event.target;
  if (!files || !dataset.most) return;
  const large = files.length > 0 && files[0].size > Number(dataset.most);
  const most = Math.floor(Number(dataset.most) / 2 ** 20);
  event.target.setCustomValidity(large ? `This file is too large. Choose one of at most ${most} MB.` : "");
}

document.addEventListener("input", measured);

/* A form that takes long says so as soon as it is sent. */
document.addEventListener("submit", (event) => {
  if (!event.target.matches("form[data-long]")) return;
  const [before, sent] = event.target.querySelectorAll("[role=status] > span");
  before.hidden = true;
  sent.hidden = false;
});

/**
 * Hide "Yes" when the form of a new event is edited, because it confirms what the form had.
 * @param {InputEvent} event
 */
function edited(event) {
  if (event.target.form?.id !== "founding") return;
  const question = document.querySelector(".asks");
  if (question && !event.target.closest(".preview")) {
    for (const button of question.querySelectorAll("[name=sure], [name=sections]")) button.hidden = true;
    question.querySelector(".edited").hidden = false;
  }
}

document.addEventListener("input", edited);
