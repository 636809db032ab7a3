// A tournament site in TypeScript that has its next round paired: node site.ts http://127.0.0.1:8440/pair
// (Node 22.18 or later; 22.6 with --experimental-strip-types; or deno run -N, bun)
type Told = { kind: string; text: string; where?: string };
type Match = { table: number | null; name1: string; name2: string | null };
type Answer = { errors?: Told[]; pairings: Match[]; matches?: { sentence: string }[]; conflicts: Told[] };

// As a site's own tables may have them.
const players = [
  { id: 17, name: "Ann" }, { id: 4, name: "Bob" }, { id: 23, name: "Cem" },
  { id: 8, name: "Dag", dropped: true }, { id: 31, name: "Eva" },
];
const rounds: { corp: number; runner?: number; score: number[] }[][] = [
  [{ corp: 17, runner: 4, score: [3, 0] }, { corp: 23, runner: 8, score: [1, 1] }, { corp: 31, score: [3] }],
];

const request = {
  version: 1,
  players: players.map((p) => ({ player: p.id, name: p.name, active: !p.dropped })),
  rounds: rounds.map((matches) => matches.map((m) => m.runner === undefined
    ? { player1: m.corp, score1: m.score[0], status: "bye" }
    : { player1: m.corp, player2: m.runner, side1: "corp", score1: m.score[0], score2: m.score[1] })),
  also: ["reasons"],
};

const answer = await fetch(process.argv[2], { method: "POST", body: JSON.stringify(request) });
const told = (await answer.json()) as Answer;
if (told.errors) {
  for (const e of told.errors) console.error(`${e.where}: ${e.text} (${e.kind})`);
  process.exit(3);
}
told.pairings.forEach((match, k) => {
  const why = told.matches?.[k]?.sentence;
  console.log(`${match.table ?? "-"} ${match.name1} - ${match.name2 ?? "bye"}: ${why}`);
});
for (const each of told.conflicts) console.log(each.text);
