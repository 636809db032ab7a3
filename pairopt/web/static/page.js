"use strict";
/* Keys: a button with data-key is pressed by its key while its row ([data-row]) has the focus, or,
   outside of rows, from anywhere on the page; arrows (and j, k) go from row to row. */

function typing(target) {
  return target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select") !== null;
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.altKey || event.metaKey || typing(event.target)) return;
  const row = event.target.closest("[data-row]");
  const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
  if (step) {
    const rows = [...document.querySelectorAll("[data-row]")];
    if (rows.length === 0) return;
    const at = row ? rows.indexOf(row) + step : 0;
    rows[Math.min(Math.max(at, 0), rows.length - 1)].focus();
    event.preventDefault();
    return;
  }
  const within = row ?? document;
  const button = [...within.querySelectorAll("[data-key]")].find(
    (each) => each.dataset.key === event.key.toLowerCase() && (row || !each.closest("[data-row]")),
  );
  if (button) {
    button.click();
    event.preventDefault();
  }
});
