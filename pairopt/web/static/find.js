"use strict";
/* Players are found while one types, without Enter: on their own view the list becomes those who may
   be meant, and on every other one they stand below the field, with their tables. */

const REST = 120;
let later = 0, asked_for = 0;

async function find(field) {
  const { form } = field;
  const mine = ++asked_for;
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
  if (!answer.ok || mine !== asked_for || !place.isConnected) return;
  place.innerHTML = text;
  htmx.process(place);
}

document.addEventListener("input", ({ target }) => {
  if (!target.closest("form[role=search]")) return;
  clearTimeout(later);
  later = setTimeout(find, target.type === "search" ? REST : 0, target);
});

/* Enter asks for the whole page, after what is asked of the list: nothing comes later, for a list that is gone. */
document.addEventListener("submit", ({ target }) => target.matches("form[role=search]") && clearTimeout(later), true);

document.addEventListener("keydown", ({ key, target }) => {
  const form = target.closest("form.whom");
  if (key !== "Escape" || !form) return;
  form.reset();
  form.querySelector("[role=status]").replaceChildren();
});
