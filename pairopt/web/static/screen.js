"use strict";
/* A screen shows as many whole rows as there is room for, in pages that turn by themselves; the
   button with their number stops them, and lets them go on. Letters are as large as they can be with
   all on one page; else those that are read from afar, smaller ones where pages would be too many. */

const A_ROW = 400, FEWEST = 6000;
const SIZES = [9, 8, 7, 6, 5.4, 4.8, 4.2, 3.6, 3.1], AFAR = 5.4, DENSE = 4.5, MOST_PAGES = 6; // by the height, in hundredths
let at = 0, due = 0, turns = 0, stopped = false, shows = "";

/* Rows by the heights that they have in a column, each column as full as it can be. The name of a
   section stands with its first row, and again above what goes on in the next column. */
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

/* All rows in their order, in the first table alone. */
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

/* Columns keep the widths that they have with all rows, as these are measured so. */
function fixed(table) {
  const heads = [...table.tHead.rows[0].cells];
  table.style.tableLayout = "auto";
  for (const head of heads) head.style.width = "";
  const widths = heads.map((head) => head.getBoundingClientRect().width);
  heads.forEach((head, k) => (head.style.width = `${widths[k]}px`));
  table.style.tableLayout = "fixed";
}

/* A further table like the first, with these rows. */
function beside(table, rows) {
  const more = table.cloneNode(false), body = document.createElement("tbody");
  body.append(...rows);
  more.append(table.tHead.cloneNode(true), body);
  more.style.visibility = rows.length ? "" : "hidden";
  table.parentElement.append(more);
}

/* The rows in columns by the largest letters that fit. */
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

function laid() {
  clearTimeout(turns);
  const place = document.querySelector(".turning"), button = document.querySelector(".turn");
  const table = place?.querySelector("table");
  if (!table) return;
  const head = document.querySelector("h1").textContent;
  if (head !== shows) at = due = 0;
  shows = head;
  button.hidden = false; // while there is room kept for it
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
  due ||= Date.now() + Math.max(FEWEST, A_ROW * shown.flat().length); // a result leaves it alone
  if (pages > 1 && !stopped) turns = setTimeout(turn, Math.max(0, due - Date.now()), pages);
}

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
