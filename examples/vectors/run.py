"""Run a program on test vectors: python run.py 'dutch-*' COMMAND... (see docs/vectors.md)."""

import json
import subprocess
import sys
from collections import Counter
from pathlib import Path

VERDICTS = "best", "without", "legal", "wrong"


def ordered(pairing, sides):
    """Matches in order; without sides each match in order too."""
    pairs = [p if sides or None in p else sorted(p) for p in map(list, pairing)]
    return sorted(pairs, key=str)


def verdict(vector, answer):
    for name in ("best", "without", "legal"):
        known = vector[name] if name != "best" else vector["best"] or [[]]
        if answer in [ordered(p, vector["facts"]["sides"]) for p in known or []]:
            return name
    return "wrong"


files = sorted(Path(__file__).parent.glob(sys.argv[1] + ".json"))
groups = [json.loads(f.read_text("utf-8")) for f in files if f.stem != "schema"]
vectors = [v for group in groups for v in group["vectors"]]
asked = "".join(
    json.dumps({"id": v["id"], "facts": v["facts"]}) + "\n" for v in vectors
)
program = sys.argv[2:]
ran = subprocess.run(  # noqa: S603
    program, input=asked, stdout=subprocess.PIPE, encoding="utf-8"
)
answers = iter(ran.stdout.splitlines())
passed = True
for group in groups:
    found = Counter()
    for v in group["vectors"]:
        answer = json.loads(next(answers, "null"))
        found[
            "wrong"
            if answer is None
            else verdict(v, ordered(answer, v["facts"]["sides"]))
        ] += 1
    passed &= found["best"] == len(group["vectors"])
    print(group["group"], *(f"{name} {found[name]}" for name in VERDICTS))
sys.exit(not passed)
