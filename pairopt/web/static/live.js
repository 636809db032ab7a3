"use strict";
/* Keep a phone's page or a screen up to date: ask every few seconds for the part that can change.

   The page says so if the server does not answer any more, and if the player's table in a round
   has changed. */

const EVERY = 4500, SPREAD = 1000, PATIENCE = 4000, AGAIN = 2000, DAY = 12 * 3600 * 1000;
const part = document.getElementById("live");
const silent = document.getElementById("silent");
const changed = document.getElementById("changed");
let tag = document.body.dataset.tag, answered = new Date(), asking = null, timer = 0;

/**
 * Ask for a newer version of the part that can change.
 * @returns {Promise<{got: Response, text: string | null}>} the text is null if nothing is new
 */
async function answer() {
  const control = new AbortController();
  const late = setTimeout(() => control.abort(), PATIENCE);
  try {
    const headers = { "If-None-Match": tag, Live: "1" };
    const how = { headers, signal: control.signal, cache: "no-store" };
    const got = await fetch(location.pathname + location.search, how);
    if (got.status >= 500) throw new Error(got.status);
    return { got, text: got.status === 200 ? await got.text() : null };
  } finally {
    clearTimeout(late);
  }
}

/**
 * Bring the page up to date, or say that the server does not answer.
 *
 * An idle connection may have been closed, so a quick failure is tried a second time.
 * @returns {Promise<number>} milliseconds until the next question
 */
async function ask() {
  const start = Date.now(), address = location.href;
  let result;
  try {
    result = await answer().catch((error) => {
      if (error.name === "AbortError" || Date.now() - start > AGAIN) throw error;
      return answer();
    });
  } catch {
    silent.querySelector("strong").textContent = answered.toTimeString().slice(0, 5);
    silent.hidden = false;
    return AGAIN;
  }
  const { got, text } = result;
  answered = new Date();
  silent.hidden = true;
  // The user has typed something else meanwhile.
  if (address !== location.href) return 0;
  if (got.headers.has("now")) ahead = Number(got.headers.get("now")) - Date.now();
  if (text !== null) {
    tag = got.headers.get("etag") ?? "";
    part.innerHTML = text;
    document.dispatchEvent(new Event("newer"));
  }
  tick();
  return EVERY + SPREAD * Math.random();
}

/** Ask again and again, one question at a time, also when the page becomes visible again. */
function follow() {
  clearTimeout(timer);
  asking ??= ask().then((rest) => {
    asking = null;
    timer = setTimeout(follow, rest);
  });
}

/* Find names while the user types. The address changes too, so that a reload finds the same. */
let typed = 0;

document.addEventListener("input", ({ target }) => {
  if (target.type !== "search") return;
  clearTimeout(typed);
  typed = setTimeout(() => {
    const query = target.value.trim() && `?${new URLSearchParams(new FormData(target.form))}`;
    history.replaceState(null, "", `${location.pathname}${query}`);
    tag = "";
    follow();
  }, 120);
});

/**
 * Return the table in a round that this browser has shown last, if it was not long ago.
 * @param {string} key
 * @returns {{round: number, place: string, before: string | null, time: number} | null}
 */
function kept(key) {
  try {
    const entry = JSON.parse(localStorage.getItem(key));
    return entry && Date.now() - entry.time < DAY ? entry : null;
  } catch {
    return null;
  }
}

/**
 * Store the table in a round that this browser has shown.
 * @param {string} key
 * @param {{round: number, place: string, before: string | null}} entry
 */
function keep(key, entry) {
  try {
    localStorage.setItem(key, JSON.stringify({ ...entry, time: Date.now() }));
  } catch {
    // Without storage, the page does not know of a change after a reload.
  }
}

/** Say that the player's table has changed since this browser showed it. */
function compare() {
  const mine = part.querySelector("[data-place]");
  if (!mine) return;
  const key = `place ${document.title} ${location.search}`;
  const round = Number(mine.dataset.round), place = mine.dataset.place;
  const known = kept(key);
  // The round was undone; it may come again.
  if (known && known.round > round) return;
  const same = known?.round === round;
  let before = same ? known.before : null;
  if (same && known.place !== place) before ??= known.place;
  if (before === place) before = null;
  keep(key, { round, place, before });
  changed.hidden = !before;
  changed.querySelector("strong").textContent = before ?? "";
  changed.querySelector("button").onclick = () => {
    keep(key, { round, place, before: null });
    changed.hidden = true;
  };
}

document.addEventListener("newer", compare);
document.addEventListener("visibilitychange", () => document.hidden || follow());
addEventListener("online", follow);
addEventListener("offline", follow);
compare();
follow();
