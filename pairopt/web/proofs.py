"""Show what a pairing costs and what is proven of it; offer the stored proof of a round.

The address of a proof has its digest, which is printed on paper, too.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from pairopt.folder.open_folder import OpenFolder
from pairopt.folder.pair_round import Preview
from pairopt.folder.proofs import check_round_proof, read_stored_proof
from pairopt.folder.stored_proofs import proof_file_name
from pairopt.messages import message
from pairopt.messages.formatting import amount_text
from pairopt.messages.interfaces import PAGE
from pairopt.report.views import LevelsView, levels_of
from pairopt.round.explain import ExplainedMatch
from pairopt.round.result import Result
from pairopt.web.site import AnswerCache, EventSite

PATH = "/proofs/{digest}.json"
SHOWN = AnswerCache(8)
"""The latest proofs of rounds, by the state of the event."""


@dataclass(frozen=True, slots=True)
class ProofDownload:
    """A proof that can be downloaded.

    `words` say what it proves about the round. `now` is whether it holds for the round
    as it is now; otherwise it holds for the round as it was paired. `name` is the
    file's, `digest` the SHA-256, and `address` that of the download without the event's
    root.
    """

    words: str
    now: bool
    name: str
    digest: str
    address: str

    def coded(self, site: EventSite) -> str:
        """Return the text of the QR code for paper.

        It is the proof's address for phones, or the digest if the event is not shared.
        """
        if site.share is not None:
            return f"{site.share.address}{(site.root + self.address)[1:]}"
        return f"pairopt-proof sha256:{self.digest}"


def find_proof_download(desk: OpenFolder, number: int) -> ProofDownload | None:
    """Return the stored proof of a round, or None if there is none that holds.

    `number` is the round. A proof can hold for the round as it is now, or for the round
    as it was paired. The proof is checked again only if the event's files have changed.
    """
    stored_proof = read_stored_proof(desk, number)
    if stored_proof is None:
        return None

    cache_key = desk.journal.folder, desk.state, number, sha256(stored_proof).digest()
    checked_proof = SHOWN.get_or_compute(
        cache_key, lambda: check_round_proof(desk, number)
    )
    if not checked_proof.holds or checked_proof.digest is None:
        return None
    return ProofDownload(
        words=checked_proof.stated.words,
        now=checked_proof.step is None,
        name=_make_download_name(number),
        digest=checked_proof.digest,
        address=PATH.format(digest=checked_proof.digest),
    )


def find_proof(site: EventSite, file_name: str) -> tuple[str, bytes] | None:
    """Return the download name and content of the proof in a file "DIGEST.json".

    Return None if no round has a proof with this digest, or there is no event.
    """
    if not site.has_event:
        return None
    desk = site.desk()
    for round_number in range(1, desk.rounds() + 1):
        stored_proof = read_stored_proof(desk, round_number)
        if stored_proof is None:
            continue
        if f"{sha256(stored_proof).hexdigest()}.json" == file_name:
            return _make_download_name(round_number), stored_proof
    return None


def _make_download_name(number: int) -> str:
    """Return the file name, without a folder, for downloading the proof of a round.

    `number` is the round.
    """
    return proof_file_name(number).split("/")[-1]


UNPROVEN = {"feasible": "proof.best_found", "heuristic": "proof.by_procedure"}


@dataclass(frozen=True, slots=True)
class PairingCost:
    """The cost of a pairing for the page: what is proven of it, and its levels.

    `kind` is "proven" or "unproven". `words` say in a sentence what is proven, and
    `more` are sentences on how the pairing was found.
    """

    kind: str
    words: str
    more: tuple[str, ...]
    levels: LevelsView


def describe_cost(
    result: Result, without: Collection[str] = (), worse: bool = False
) -> PairingCost | None:
    """Return the cost of a pairing, or None if the result has none.

    Parameters
    ----------
    result : Result
        The result of pairing a round.
    without : collection of str
        Options to leave out of the sentence, because they make no difference.
    worse : bool
        Whether the pairing was changed by hand, and is worse than the best.
    """
    if result.arcs is None:
        return None

    detail_sentences: list[str] = []
    if result.choice is not None:
        detail_sentences = [*map(PAGE.format_message, result.choice.words())]
    if len(result.proven_by) > 1:
        detail_sentences = [
            *detail_sentences,
            PAGE.format_message(message("solving.found_twice")),
        ]

    proof_statement = result.stated(without)
    cost_verdict = proof_statement.said
    if proof_statement.kind == "not" and result.status in UNPROVEN:
        cost_verdict = message(UNPROVEN[result.status])
    elif worse and proof_statement.kind == "by hand":
        cost_verdict = message("proof.by_hand_worse")
    return PairingCost(
        kind="proven" if result.proven else "unproven",
        words=PAGE.format_message(cost_verdict),
        more=tuple(detail_sentences),
        levels=levels_of(result),
    )


def compare_with_best(
    preview: Preview, matches: Sequence[ExplainedMatch]
) -> Iterator[tuple[bool, list[str]]]:
    """Yield for each shown match whether the best pairing lacks it, and what is worse.

    `preview` has the shown and the best pairing, and `matches` are the explained
    matches of the shown one, in its order. The list has the match's share of each level
    that is higher than in the best pairing. It is empty for a match of the best
    pairing. It is also empty under a FIDE system: its brackets depend on each other, so
    no match alone makes anything worse. Without a best pairing no match is marked.
    """
    best_pairs = {frozenset(shown_pair) for shown_pair in preview.best.pairs}
    higher_levels = _find_higher_levels(preview)
    for shown_pair, explained_match in zip(preview.result.pairs, matches, strict=True):
        is_not_in_best = bool(best_pairs) and frozenset(shown_pair) not in best_pairs
        worse_levels = []
        for level_share in explained_match.shares if is_not_in_best else ():
            level = level_share.level
            if (level.place, level.label) in higher_levels:
                worse_levels.append(
                    f"{level.words}: +{amount_text(level_share.value, level.scale)}"
                )
        yield is_not_in_best, worse_levels


def _find_higher_levels(preview: Preview) -> set[tuple[int, object]]:
    """Return place and label of each level that is higher than in the best pairing.

    A level that the best pairing does not have counts as 0 there. There are none under
    a FIDE system.
    """
    if preview.result.problem.system is not None:
        return set()
    best_values = {
        (level_value.place, level_value.level): level_value.value or 0
        for level_value in preview.best.level_values
    }
    return {
        (level_value.place, level_value.level)
        for level_value in preview.result.level_values
        if (level_value.value or 0)
        > best_values.get((level_value.place, level_value.level), 0)
    }
