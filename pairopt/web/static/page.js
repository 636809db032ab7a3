"use strict";
/* Keys. A button or link with data-key is pressed by one of its keys: within a row ([data-row])
   while something in the row has the focus, elsewhere from anywhere on the page. Arrows (and j, k)
   go from row to row. What is typed, clicked or dropped while a change is on its way waits for the
   page that comes; a click is forgotten where that page asks something else, or has no such button. */

/* What the addresses of this event begin with: nothing where it is the only one. */
const ROOT = document.body.dataset.root;

let under_way = null;
const waiting = [];

/* What the browser does with these is a click, or goes on: they do not wait as keys. */
const NATIVE = ["enter", " ", "tab"];
const STOPS = "a, button, input, select, textarea, summary, [tabindex]";

/* What tells a thing that can have the focus from others, also on a newer page; of a field what is
   typed into it does not. */
function sign(each) {
  const words = each.ariaLabel ?? each.textContent;
  const own = typing(each) ? each.form?.getAttribute("action")?.split("?")[0] : each.value;
  return JSON.stringify([each.localName, each.name, own, words, each.closest("[data-row]")?.id]);
}

function signed(known) {
  return [...document.querySelectorAll(STOPS)].find((each) => sign(each) === known);
}

/* What is asked, or why something was refused, around a place; null where nothing is. */
const QUESTION = ".refused, .asks";

function asked_at(place) {
  return place?.closest(QUESTION)?.textContent ?? null;
}

function typing(target) {
  const field = target.closest("input, textarea, select");
  return field !== null && !["checkbox", "radio", "submit"].includes(field.type);
}

function go(from, step) {
  const rows = [...document.querySelectorAll("[data-row]")];
  const at = from ? rows.indexOf(from) + step : 0;
  const row = rows[Math.min(Math.max(at, 0), rows.length - 1)];
  row?.querySelector("button, a, input:not([type=hidden])")?.focus();
  return rows.length > 0;
}

function press(key) {
  const row = document.activeElement?.closest("[data-row]");
  const step = { arrowdown: 1, j: 1, arrowup: -1, k: -1 }[key];
  if (step) return go(row, step);
  const known = (each) => each.dataset.key.split(" ").includes(key);
  const keys = [...document.querySelectorAll("[data-key]")].filter(known);
  const button =
    keys.find((each) => row?.contains(each)) ?? keys.find((each) => !each.closest("[data-row]"));
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
    const known = sign(button);
    const asked = asked_at(button);
    waiting.push(() => {
      const now = asked_at(document.querySelector(QUESTION));
      if (now === null || now === asked) signed(known)?.click();
    });
  },
  true,
);

document.addEventListener("htmx:beforeRequest", ({ detail }) => {
  under_way = detail.xhr;
});

/* an answer settles part by part: with the first of them all are in their places */
for (const end of ["htmx:afterSettle", "htmx:sendError", "htmx:sendAbort", "htmx:timeout"]) {
  document.addEventListener(end, ({ detail }) => {
    if (detail.xhr !== under_way) return;
    under_way = null;
    while (!under_way && waiting.length > 0) waiting.shift()();
  });
}

/* A menu is closed by a click elsewhere, and by Escape, which leaves the focus on its name. */

function close_menus(but) {
  for (const menu of document.querySelectorAll("details.menu[open]")) {
    if (menu.contains(but)) continue;
    if (menu.contains(document.activeElement)) menu.querySelector("summary").focus();
    menu.open = false;
  }
}

document.addEventListener("click", (event) => close_menus(event.target));
document.addEventListener("keydown", (event) => {
  if (event.key === "Escape") close_menus(null);
});

/* A file that is dropped anywhere goes where the page takes one. */

const taking = () => document.querySelector("input[type=file]");

document.addEventListener("dragover", (event) => {
  if (taking()) event.preventDefault();
});

document.addEventListener("drop", (event) => {
  const files = event.dataTransfer?.files;
  if (!taking() || !files?.length) return;
  event.preventDefault();
  const take = () => {
    const there = taking();
    if (!there) return;
    there.files = files;
    there.form.requestSubmit();
  };
  if (under_way) waiting.push(take);
  else take();
});

/* What is asked about a new event is asked of what stands in its form: an edit takes the "Yes" away.
   A file that is too large is told before it is sent. */

function edited(event) {
  if (event.target.form?.id !== "founding") return;
  const asked = document.querySelector(".asks");
  if (asked && !event.target.closest(".preview")) {
    for (const button of asked.querySelectorAll("[name=sure], [name=sections]")) button.hidden = true;
    asked.querySelector(".edited").hidden = false;
  }
  const { files, dataset } = event.target;
  if (!files) return;
  const large = files.length > 0 && files[0].size > Number(dataset.most);
  const most = Math.floor(Number(dataset.most) / 2 ** 20);
  event.target.setCustomValidity(large ? `This is larger than ${most} MB` : "");
}

document.addEventListener("input", edited);
