"use strict";
/* A screen shows as many whole rows as there is room for, in pages that turn by themselves; the
   button with their number stops them, and lets them go on. */

const A_ROW = 700, FEWEST = 6000;
let at = 0, stopped = false, turns = 0;

/* Rows by the heights that they have in a column, each column as full as it can be. */
function bins(rows, room) {
  const made = [];
  let left = 0;
  for (const row of rows) {
    const height = row.getBoundingClientRect().height;
    if (made.length === 0 || height > left) {
      made.push([]);
      left = room;
    }
    made.at(-1).push(row);
    left -= height;
  }
  return made;
}

function laid() {
  clearTimeout(turns);
  const place = document.querySelector(".turning");
  const table = place?.querySelector("table");
  if (!table) return;
  const columns = innerWidth > innerHeight ? Number(place.dataset.columns) : 1;
  for (const more of place.querySelectorAll("table ~ table")) {
    table.tBodies[0].append(...more.tBodies[0].rows);
    more.remove();
  }
  const rows = [...table.tBodies[0].rows].sort((a, b) => order(a) - order(b));
  place.classList.toggle("two", columns > 1);
  table.tBodies[0].append(...rows);
  for (const row of rows) row.hidden = false;
  const room = place.clientHeight - table.tHead.getBoundingClientRect().height - 1;
  const filled = bins(rows, room);
  const pages = Math.max(1, Math.ceil(filled.length / columns));
  at = at < pages ? at : 0;
  for (const row of rows) row.hidden = true;
  for (let column = 0; column < columns; column++) {
    let body = table.tBodies[0];
    if (column > 0) {
      const more = table.cloneNode(false);
      body = document.createElement("tbody");
      more.append(table.tHead.cloneNode(true), body);
      place.append(more);
    }
    const shown = filled[at * columns + column] ?? [];
    for (const row of shown) row.hidden = false;
    if (column > 0) body.append(...shown);
    if (column > 0 && shown.length === 0) body.parentElement.style.visibility = "hidden";
  }
  const button = document.querySelector(".turn");
  button.hidden = pages === 1;
  button.textContent = `${stopped ? "Stopped: page" : "Page"} ${at + 1} of ${pages}`;
  button.setAttribute("aria-pressed", stopped);
  const count = filled.slice(at * columns, (at + 1) * columns).flat().length;
  if (pages > 1 && !stopped) turns = setTimeout(turn, Math.max(FEWEST, A_ROW * count), pages);
}

const places = new WeakMap();
let last = 0;
function order(row) {
  if (!places.has(row)) places.set(row, last++);
  return places.get(row);
}

function turn(pages) {
  at = (at + 1) % pages;
  laid();
}

document.addEventListener("click", (event) => {
  if (!event.target.closest(".turn")) return;
  stopped = !stopped;
  laid();
});
document.addEventListener("newer", laid);
addEventListener("resize", laid);
document.fonts.ready.then(laid);
