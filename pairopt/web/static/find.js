"use strict";
/* Find players while the user types, without Enter.

   On the players' page the list shows only those who fit. On every other page they are shown below
   the field, with their tables. So are the persons of a rating list. */

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
  const typed = field.value;
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
  form.dataset.found = typed;
  htmx.process(place);
}

/* In the search of a rating list, Enter opens the first person that was found. */
document.addEventListener("keydown", (event) => {
  const { key, target } = event;
  const form = target.closest("form[data-pick]");
  if (!form || target.type !== "search" || form.dataset.found !== target.value) return;
  const first = form.querySelector("[role=status] a");
  if (!first || !["Enter", "ArrowDown"].includes(key)) return;
  event.preventDefault();
  if (key === "Enter") first.click();
  else first.focus();
});

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
