"""`pairopt bracket`."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from pairopt.show.cli.options import FILE, FOLDER, OVERWRITE, say, typed

if TYPE_CHECKING:
    from pairopt.event.elimination import BracketLine


@click.command()
@click.argument("folder", type=FOLDER)
@click.option("--cut", type=click.IntRange(2), metavar="N",
              help="Make the bracket of the best N of those still active.")  # fmt: skip
@click.option("--double", is_flag=True, help="Two lost matches put a player out.")
@click.option("--by-lot", is_flag=True, help="Order players who are equal in everything by lot.")
@click.option("--seed", type=click.IntRange(0), default=0, show_default=True, metavar="N",
              help="The seed of --by-lot.")  # fmt: skip
@click.option("-o", "--output", type=FILE, help="Write a page to read or print, FILE.html.")
@OVERWRITE
def command(
    folder: str,
    cut: int | None,
    double: bool,
    by_lot: bool,
    seed: int,
    output: str | None,
    overwrite: bool,
) -> None:
    """The elimination of FOLDER: with --cut it is made from the standings, then it is shown.

    Seeds follow the standings; the best have byes where N is no power of two. Matches are called
    B1, B2, …: pairopt result FOLDER B1 2-0 writes down how one ended.
    """
    from pairopt.event.elimination import lines
    from pairopt.files.guard import require_free
    from pairopt.folder import bracket

    if output is not None:
        from pairopt.show.report.bracket import bracket_page, require_page

        require_free([output], (), overwrite)
        require_page(output, overwrite)
    done = bracket(folder, cut, double=double, by_lot=by_lot, seed=seed)
    event = done.event
    assert event is not None
    assert done.bracket is not None
    shown = lines(done.bracket, event.called)
    for line in done.said:
        say(line)
    click.echo(_table(shown), nl=False)
    if done.step is not None:
        say(f"written to {folder} (step {done.step}; pairopt undo {typed(folder)} takes it back)")
    if output is not None:
        from pairopt.files.write import write_whole

        write_whole(output, bracket_page(event.settings.title, shown, done.said))
        say(f"page: written to {output}")


def _table(lines: Sequence[BracketLine]) -> str:
    """The matches, round by round."""
    from pairopt.show.cli.show import table_text

    rows, title = [], ""
    for line in lines:
        one, two = line.chairs
        head, title = "" if line.title == title else line.title, line.title
        score = line.score or ("next" if line.open else "")
        rows.append([head, line.match, one.seed, one.name, score, two.name, two.seed])
    return table_text(["round", "match", "seed", "player", "score", "player", "seed"], rows, "seed")
