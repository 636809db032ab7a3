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
| world | `World`, `Results`, `Games`, `Chances` |
| contender, ranking | `Contender`, `Ranking` |
| format | `Format`, `TextSource`, `EventText`, `ReadOptions`, `PlayerTable`, `PlayerRow`, `MatchRow`, `build_event` |
| engine | `Engine`, `EngineAbilities`, `EngineOptions`, `Problem`, `Solution`, `arcs_of` |
| system | `System`, `PairingSystem`, `Level`, `LevelMinimizer`, `TimeUpError`, `all_pairs`, `sided_arcs` |
| view | `View`, `PageRequest`, `Context` |
| command | `command`, `NonEmptyPath`, `FILE` |
| command on an event folder | `FolderCommand`, `CommandParameter`, `Folder`, `Done`, `open_folder` |

Each name is imported when somebody asks for it, so that an extension loads no more than it uses.
"""

from pairopt.registry import lazy_exports

__getattr__, __all__ = lazy_exports(__name__, stub="extend.pyi")
