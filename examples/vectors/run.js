// Run a program on the vectors: node run.js 'dutch-' COMMAND... (files that begin so; '' for all)
const fs = require("fs");
const path = require("path");
const { spawnSync } = require("child_process");

const [start, command, ...rest] = process.argv.slice(2);
const names = ["best", "without", "legal", "wrong"];

// Matches in order; without sides each match in order too.
function ordered(pairing, sides) {
  const pairs = pairing.map((p) => (sides || p[1] === null ? p : [...p].sort()));
  return JSON.stringify(pairs.map((p) => JSON.stringify(p)).sort());
}

function verdict(vector, answer) {
  if (!Array.isArray(answer)) return "wrong";
  const sides = vector.facts.sides;
  const known = { ...vector, best: vector.best.length ? vector.best : [[]] };
  return names.find((name) => (known[name] || []).some((p) => ordered(p, sides) === ordered(answer, sides))) || "wrong";
}

const files = fs.readdirSync(__dirname).sort();
const groups = files.filter((f) => f.startsWith(start) && f.endsWith(".json") && f !== "schema.json")
  .map((f) => JSON.parse(fs.readFileSync(path.join(__dirname, f), "utf8")));
const vectors = groups.flatMap((g) => g.vectors);
const input = vectors.map((v) => JSON.stringify({ id: v.id, facts: v.facts }) + "\n").join("");
const { stdout } = spawnSync(command, rest, { input, encoding: "utf8", maxBuffer: 1e9, stdio: ["pipe", "pipe", "inherit"] });
const lines = stdout.split("\n");
let at = 0, passed = true;
for (const group of groups) {
  const found = Object.fromEntries(names.map((name) => [name, 0]));
  for (const v of group.vectors) found[verdict(v, JSON.parse(lines[at++] || "null"))]++;
  passed = passed && found.best === group.vectors.length;
  console.log(group.group, ...names.map((name) => `${name} ${found[name]}`));
}
process.exit(passed ? 0 : 1);
