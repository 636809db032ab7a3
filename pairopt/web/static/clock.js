"use strict";
/* Show the clock of the round by the server's time, not by that of this device. */

/** Milliseconds by which the server's time is ahead of this device's. */
let ahead = Number(document.body.dataset.now) - Date.now();

/**
 * Return a time as hours, minutes and seconds, for example "1:04:09" or "4:09".
 * @param {number} milliseconds
 * @returns {string}
 */
function format_time(milliseconds) {
  const total = Math.max(0, Math.ceil(milliseconds / 1000));
  const hours = Math.floor(total / 3600);
  const minutes = Math.floor(total / 60) % 60;
  const two_digits = (number) => String(number).padStart(2, "0");
  const seconds = two_digits(total % 60);
  return hours ? `${hours}:${two_digits(minutes)}:${seconds}` : `${minutes}:${seconds}`;
}

/** Write the remaining time into each clock of the page. */
function tick() {
  for (const clock of document.querySelectorAll(".clock")) {
    // The server's time is not known yet.
    if (Number.isNaN(ahead) && !clock.dataset.left) continue;
    const remaining = clock.dataset.left ?? clock.dataset.ends - Date.now() - ahead;
    const text = remaining > 0 ? format_time(remaining) : "Time is up";
    if (clock.textContent !== text) clock.textContent = text;
    clock.classList.toggle("over", remaining <= 0);
  }
}

tick();
setInterval(tick, 250);
