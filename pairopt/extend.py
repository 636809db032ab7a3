"""Everything that an extension imports from pairopt.

An extension is a criterion, a tie-break, an engine or another part of your own package. Import what
it needs from here, and not from the modules that define it. Those may move; the names below stay.
For example, a criterion begins with

    from pairopt.extend import Arcs, Criterion, IntArray, Label, State

| extension | names |
|---|---|
| all | `Event`, `PLAYED`, `BYE`, `InputError`, `UsageError`, `IntArray`, `BoolArray` |
| criterion, constraint | `Criterion`, `Constraint`, `Label`, `State`, `Arcs` |
| tie-break | `TieBreak`, `History`, `Tied` |
| metric | `Metric`, `Measured`, `Tournament` |
| world | `World`, `Results`, `Encounters`, `Chances` |
| contender, ranking | `Contender`, `Ranking` |
| format | `Format`, `Source`, `Text`, `Reading`, `Roster`, `PlayerRow`, `MatchRow`, `build_event` |
| engine | `Engine`, `Abilities`, `Options`, `Problem`, `Solution`, `arcs_of` |
| system | `System`, `PairingSystem`, `Level`, `Settle`, `TimeUpError`, `all_pairs`, `sided_arcs` |
| view | `View`, `Asked`, `Context` |
| command | `command`, `Named`, `FILE` |
| command on an event folder | `Verb`, `Param`, `Folder`, `Done`, `opened` |

Each name is imported when somebody asks for it, so that an extension loads no more than it uses."""

from pairopt.registry import on_first_use

__getattr__, __all__ = on_first_use(__name__, stub="extend.pyi")
