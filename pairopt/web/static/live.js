"use strict";
/* The page follows the event: it asks every few seconds for the part of it that changes. Whoever
   looks at it is told when nobody answers any more, and when their place in a round is another. */

const EVERY = 4500, SPREAD = 1000, PATIENCE = 4000, AGAIN = 2000, DAY = 12 * 3600 * 1000;
const part = document.getElementById("live");
const silent = document.getElementById("silent");
const changed = document.getElementById("changed");
let tag = document.body.dataset.tag, answered = new Date(), asking = null, timer = 0;

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

/* a connection that was closed while it was not used is no sign of anything: once more */
async function ask() {
  const begun = Date.now(), about = location.href;
  let found;
  try {
    found = await answer().catch((error) => {
      if (error.name === "AbortError" || Date.now() - begun > AGAIN) throw error;
      return answer();
    });
  } catch {
    silent.querySelector("strong").textContent = answered.toTimeString().slice(0, 5);
    silent.hidden = false;
    return AGAIN;
  }
  const { got, text } = found;
  answered = new Date();
  silent.hidden = true;
  if (about !== location.href) return 0; // typed meanwhile
  if (got.headers.has("now")) ahead = Number(got.headers.get("now")) - Date.now();
  if (text !== null) {
    tag = got.headers.get("etag") ?? "";
    part.innerHTML = text;
    document.dispatchEvent(new Event("newer"));
  }
  tick();
  return EVERY + SPREAD * Math.random();
}

/* one question at a time, also where the page comes back into view */
function follow() {
  clearTimeout(timer);
  asking ??= ask().then((rest) => {
    asking = null;
    timer = setTimeout(follow, rest);
  });
}

/* Names are found while one types; the address follows, so that a reload keeps what is found. */
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

/* The place in a round that was shown last, kept by the browser: {round, place, before, time}. */
function kept(key) {
  try {
    const known = JSON.parse(localStorage.getItem(key));
    return known && Date.now() - known.time < DAY ? known : null;
  } catch {
    return null;
  }
}

function keep(key, known) {
  try {
    localStorage.setItem(key, JSON.stringify({ ...known, time: Date.now() }));
  } catch {
    // a browser that keeps nothing tells of no change after a reload
  }
}

function compare() {
  const mine = part.querySelector("[data-place]");
  if (!mine) return;
  const key = `place ${document.title} ${location.search}`;
  const round = Number(mine.dataset.round), place = mine.dataset.place;
  const known = kept(key);
  if (known && known.round > round) return; // taken back: it may come again
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
