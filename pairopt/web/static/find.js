"use strict";
/* Find players while the user types, without Enter.

   On the players' page the list shows only those who fit. On every other page they are shown below
   the field, with their tables. */

/** Milliseconds without typing after which the search starts. */
const REST = 120;
let later = 0;
/** The number of searches so far: the answer to an older one is ignored. */
let asked_for = 0;

/**
 * Search for what is typed in a field, and show who is found.
 * @param {HTMLInputElement} field
 */
async function find(field) {
  const { form } = field;
  const number = ++asked_for;
  const query = new URLSearchParams(new FormData(form)).toString();
  if (form.dataset.part) {
    const part = `#${form.dataset.part}`;
    history.replaceState(history.state, "", `${location.pathname}?${query}`);
    htmx.ajax("GET", location.pathname, { source: form, target: part, select: part, swap: "outerHTML" });
    return;
  }
  const place = form.querySelector("[role=status]");
  if (field.value.trim() === "") return place.replaceChildren();
  const answer = await fetch(`${form.getAttribute("action")}/found?${query}`);
  const text = await answer.text();
  if (!answer.ok || number !== asked_for || !place.isConnected) return;
  place.innerHTML = text;
  htmx.process(place);
}

document.addEventListener("input", ({ target }) => {
  if (!target.closest("form[role=search]")) return;
  clearTimeout(later);
  later = setTimeout(find, target.type === "search" ? REST : 0, target);
});

/* Enter loads the whole page; a search for the old list must not start after that. */
document.addEventListener("submit", ({ target }) => target.matches("form[role=search]") && clearTimeout(later), true);

document.addEventListener("keydown", ({ key, target }) => {
  const form = target.closest("form.whom");
  if (key !== "Escape" || !form) return;
  form.reset();
  form.querySelector("[role=status]").replaceChildren();
});
