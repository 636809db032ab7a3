"use strict";
/* Lay out a screen for the room: pages of whole rows that turn by themselves.

   The button with the page number stops and continues the turning. Letters are as large as possible
   with all rows on one page; otherwise of a size that can be read from afar, and smaller only if
   there were too many pages. */

const A_ROW = 400, FEWEST = 6000;
const SIZES = [9, 8, 7, 6, 5.4, 4.8, 4.2, 3.6, 3.1], AFAR = 5.4, DENSE = 4.5, MOST_PAGES = 6; // by the height, in hundredths
let at = 0, due = 0, turns = 0, stopped = false, shows = "";

/**
 * Divide rows into columns, each as full as possible.
 *
 * The name of a section is in the column of its first row, and again at the top of the next one.
 * @param {HTMLTableRowElement[]} rows
 * @param {number} room the height of a column
 * @returns {HTMLTableRowElement[][]}
 */
function bins(rows, room) {
  const made = [], heights = rows.map((row) => row.getBoundingClientRect().height);
  let left = 0, part = null;
  rows.forEach((row, k) => {
    const heads = row.matches(".section");
    if (heads) part = k;
    if (made.length === 0 || heights[k] + (heads ? heights[k + 1] ?? 0 : 0) > left) {
      made.push([]);
      left = room;
      if (part !== null && !heads) {
        const again = rows[part].cloneNode(true);
        again.classList.add("again");
        made.at(-1).push(again);
        left -= heights[part];
      }
    }
    made.at(-1).push(row);
    left -= heights[k];
  });
  return made;
}

/**
 * Put all rows back into the first table, in their order, and remove the other tables.
 * @param {HTMLElement} place
 * @param {HTMLTableElement} table
 * @returns {HTMLTableRowElement[]}
 */
function together(place, table) {
  const body = table.tBodies[0];
  for (const again of place.querySelectorAll(".again")) again.remove();
  for (const more of place.querySelectorAll("table ~ table")) {
    body.append(...more.tBodies[0].rows);
    more.remove();
  }
  for (const row of body.rows) {
    row.dataset.order ??= row.rowIndex;
    row.hidden = false;
  }
  const rows = [...body.rows].sort((a, b) => a.dataset.order - b.dataset.order);
  body.append(...rows);
  return rows;
}

/**
 * Fix the widths of a table's columns to those with all rows, with which heights are measured.
 * @param {HTMLTableElement} table
 */
function fixed(table) {
  const heads = [...table.tHead.rows[0].cells];
  table.style.tableLayout = "auto";
  for (const head of heads) head.style.width = "";
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  heads.forEach((head, k) => (head.style.width = `${widths[k]}px`));
  table.style.tableLayout = "fixed";
}

/**
 * Add a further table like the first one, with these rows.
 * @param {HTMLTableElement} table
 * @param {HTMLTableRowElement[]} rows
 */
function beside(table, rows) {
  const more = table.cloneNode(false), body = document.createElement("tbody");
  body.append(...rows);
  more.append(table.tHead.cloneNode(true), body);
  more.style.visibility = rows.length ? "" : "hidden";
  table.parentElement.append(more);
}

/**
 * Divide the rows into columns with the largest letters that fit.
 * @param {HTMLElement} place
 * @param {HTMLTableElement} table
 * @param {HTMLTableRowElement[]} rows
 * @returns {{filled: HTMLTableRowElement[][], columns: number}}
 */
function fitting(place, table, rows) {
  for (const size of SIZES) {
    const two = innerWidth > innerHeight && (table.dataset.columns || size < DENSE);
    place.style.fontSize = `max(1rem, min(${size}vh, ${size / 1.8}vw))`;
    place.classList.toggle("two", two);
    fixed(table);
    const filled = bins(rows, place.clientHeight - table.tHead.getBoundingClientRect().height - 1);
    const columns = two ? 2 : 1, pages = Math.ceil(filled.length / columns);
    const heights = rows.map((row) => row.offsetHeight).sort((a, b) => a - b);
    const wraps = heights[heights.length >> 1] > 2 * parseFloat(getComputedStyle(place).fontSize);
    const fits = size > AFAR ? pages === 1 && !wraps : pages <= MOST_PAGES;
    if (fits || size === SIZES.at(-1)) return { filled, columns };
  }
}

/** Lay out the present page, and turn it after a time. */
function laid() {
  clearTimeout(turns);
  const place = document.querySelector(".turning"), button = document.querySelector(".turn");
  const table = place?.querySelector("table");
  if (!table) return;
  const head = document.querySelector("h1").textContent;
  if (head !== shows) at = due = 0;
  shows = head;
  // Shown while heights are measured, so that there is room for it.
  button.hidden = false;
  const rows = together(place, table);
  const { filled, columns } = fitting(place, table, rows);
  const pages = Math.max(1, Math.ceil(filled.length / columns));
  at = at < pages ? at : 0;
  const shown = Array.from({ length: columns }, (_, k) => filled[at * columns + k] ?? []);
  for (const row of rows) row.hidden = !shown.flat().includes(row);
  if (shown[0][0]?.matches(".again")) shown[0][1].before(shown[0][0]);
  for (const more of shown.slice(1)) beside(table, more);
  button.hidden = pages === 1;
  button.textContent = `${stopped ? "Stopped: page" : "Page"} ${at + 1} of ${pages}`;
  button.setAttribute("aria-pressed", stopped);
  // A new result does not change when the page turns.
  due ||= Date.now() + Math.max(FEWEST, A_ROW * shown.flat().length);
  if (pages > 1 && !stopped) turns = setTimeout(turn, Math.max(0, due - Date.now()), pages);
}

/**
 * Turn to the next page.
 * @param {number} pages the number of pages
 */
function turn(pages) {
  at = (at + 1) % pages;
  due = 0;
  laid();
}

document.addEventListener("click", (event) => {
  if (!event.target.closest(".turn")) return;
  stopped = !stopped;
  due = 0;
  laid();
});
document.addEventListener("newer", laid);
addEventListener("resize", laid);
document.fonts.ready.then(laid);
document.fonts.addEventListener("loadingdone", laid);
