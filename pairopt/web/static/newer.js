"use strict";
/* Update the page when the event has changed elsewhere: on another laptop, or by a command.

   The focus and the row under the mouse stay where they were. While the user is at work on the
   page, or if it is a round that is not published yet, it only offers to update itself. */

/** Milliseconds between two questions for the state of the event. */
const EVERY = 2000;

/**
 * Return whether the user is at work: something is typed, opened, selected or asked.
 * @param {HTMLElement} main
 * @returns {boolean}
 */
function at_work(main) {
  const active = document.activeElement ?? main;
  return (
    [...main.querySelectorAll(":is(input, select, textarea):not(#slip)")].some(touched) ||
    main.querySelector('details[open], .refused, .asks, form[action*="/publish"]') !== null ||
    (active.id !== "slip" && typing(active)) ||
    !getSelection().isCollapsed
  );
}

/**
 * Replace only the parts of the results page that have changed, also while the user is at work.
 * @param {HTMLElement} main
 * @param {string} state the state of the event that the page shows
 * @returns {Promise<boolean>} whether nothing is left to do
 */
async function renewed(main, state) {
  if (!document.getElementById("lane") || !document.getElementById("newer").hidden) return false;
  const answer = await fetch(location, { headers: { since: state } });
  const parts = await answer.text();
  // Another answer was faster.
  if (under_way || !main.isConnected || main.dataset.state !== state) return true;
  const new_state = answer.headers.get("state");
  if (new_state === null) return false;
  renew_state(new_state);
  place = { ...take_place(null, document.querySelector("[data-row]:hover")), renewal: true };
  htmx.swap("body", parts, { swapStyle: "none", swapDelay: 0, settleDelay: 0 });
  return true;
}

/** Load the page again, without a full reload. */
function show() {
  htmx.ajax("GET", location.pathname + location.search, { target: "body", swap: "innerHTML" });
}

/** Ask for the state of the event; update the page, or offer it, if it has changed. */
async function look() {
  const main = document.getElementById("main");
  const state = main.dataset.state;
  if (state === undefined || under_way || document.hidden) return;
  let status = 0;
  try {
    const how = { headers: { "If-None-Match": `"${state}"` }, signal: AbortSignal.timeout(PATIENCE) };
    const answer = await fetch(`${ROOT}/state`, how);
    status = answer.status;
    const change = answer.headers.get("told");
    if (change) {
      // The change is a message that may end with a full stop already.
      const sentence = decodeURIComponent(change).replace(/\.?$/, ".");
      document.querySelector("#newer span").textContent = sentence;
    }
  } catch {
    // The status 0 shows below that nobody answers.
  }
  if (under_way || !main.isConnected) return;
  document.getElementById("silent").hidden = [204, 304].includes(status);
  if (status !== 204 || (await renewed(main, state))) return;
  if (at_work(main)) document.getElementById("newer").hidden = false;
  else show();
}

/** Ask for the state of the event again and again. */
async function follow() {
  await look();
  setTimeout(follow, EVERY);
}

follow();
document.addEventListener("visibilitychange", look);
document.addEventListener("click", (event) => {
  if (event.target.closest("#newer button")) show();
});
