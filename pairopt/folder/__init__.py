"""Folder: what is the next step of an event that keeps its own files, a verb a step?"""

from pairopt.folder.cutting import bracket
from pairopt.folder.desk import Done, undo
from pairopt.folder.editing import edit, rename
from pairopt.folder.founding import new
from pairopt.folder.mending import mend, preview_mend
from pairopt.folder.pairing import Preview, pair, preview, publish
from pairopt.folder.proofs import RoundProof, check_proofs
from pairopt.folder.repairing import Repair, preview_repair, repair
from pairopt.folder.results import result
from pairopt.folder.roster import back, bye, check_in, drop, enter, enter_all, forbid, table
from pairopt.folder.settings import change

__all__ = [
    "Done", "Preview", "Repair", "RoundProof", "back", "bracket", "bye", "change",
    "check_in", "check_proofs", "drop", "edit", "enter", "enter_all", "forbid", "mend", "new",
    "pair", "preview", "preview_mend", "preview_repair", "publish", "rename", "repair",
    "result", "table", "undo",
]  # fmt: skip
