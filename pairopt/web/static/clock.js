"use strict";
/* The clock of the round, by the time of the machine that serves, not by this one's. */

let ahead = Number(document.body.dataset.now) - Date.now();

function told(left) {
  const seconds = Math.max(0, Math.ceil(left / 1000));
  const [hours, minutes, rest] = [seconds / 3600, (seconds / 60) % 60, seconds % 60].map(Math.floor);
  const two = (number) => String(number).padStart(2, "0");
  return hours ? `${hours}:${two(minutes)}:${two(rest)}` : `${minutes}:${two(rest)}`;
}

function tick() {
  for (const each of document.querySelectorAll(".clock")) {
    if (Number.isNaN(ahead) && !each.dataset.left) continue; // not told yet
    const left = each.dataset.left ?? each.dataset.ends - Date.now() - ahead;
    const words = left > 0 ? told(left) : "Time is over";
    if (each.textContent !== words) each.textContent = words;
    each.classList.toggle("over", left <= 0);
  }
}

tick();
setInterval(tick, 250);
