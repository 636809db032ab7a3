"""The arguments of `pairopt-fide`, those of JaVaFo and of bbpPairings.

Options with an argument that may be missing take the next word unless it begins with a minus.
Sources: JaVaFo's Advanced User Manual (release 2.2), bbpPairings' README (version 6).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pairopt.common.limits import parse_digits
from pairopt.common.serialization import read_package_toml
from pairopt.errors import UsageError
from pairopt.messages.formatting import shorten

FLAGS = {"-r", "-b", "-w"}
MAYBE_NUMBER, MAYBE_NAME = (
    {"-c", "-q"},
    {"-p", "-l", "-g"},
)  # options whose argument may be missing
NAMED = {"-o", "-s"}
ACTIONS = {"-p", "-c", "-g"}
USAGE: str = read_package_toml("pairopt.cli.fide", "arguments.toml")["usage"]


@dataclass(frozen=True, slots=True)
class FideArguments:
    """What is asked for: the action -p, -c or -g ("" for none), with the words of its options. An
    option that is not given is not in `given`; one without its argument has "".
    """

    action: str
    system: str
    inputs: tuple[str, ...]
    given: dict[str, str]

    def has(self, option: str) -> bool:
        return option in self.given

    def number(self, option: str, most: int) -> int | None:
        """The number of an option; None where it is not given, or without one. Raises UsageError
        for anything else, and for more than `most`.
        """
        text = self.given.get(option, "")
        if not text:
            return None
        if (number := parse_digits(text, most)) is None:
            found = shorten(text)
            raise UsageError(
                f"{option}: found {found}, expected a number from 0 to {most}"
            )
        return number


def call_of(arguments: Sequence[str]) -> FideArguments:
    """What the arguments ask for. Raises UsageError for what none of the programs knows."""
    given, systems, inputs, words = (
        dict[str, str](),
        list[str](),
        list[str](),
        list(arguments),
    )
    while words:
        word = words.pop(0)
        if word.startswith("--"):
            systems.append(word[2:])
        elif not word.startswith("-"):
            inputs.append(word)
        elif word in given:
            raise UsageError(f"{word} is given twice")
        else:
            given[word] = _argument(word, words)
    actions = [option for option in given if option in ACTIONS]
    if len(actions) > 1 or (not actions and (inputs or given.keys() - FLAGS)):
        raise UsageError("expected one of -p, -c and -g")
    if len(systems) > 1:
        raise UsageError("expected one system")
    action = actions[0] if actions else ""
    if action == "-g" and (
        "-o" not in given or len(inputs) > 1 or (inputs and given["-g"])
    ):
        raise UsageError(
            "-g: expected -o OUT, and a model or a configuration, not both"
        )
    return FideArguments(action, systems[0] if systems else "", tuple(inputs), given)


def _argument(option: str, words: list[str]) -> str:
    """The argument of an option, taken from the words after it; "" for none."""
    if option in FLAGS:
        return ""
    free = bool(words) and not words[0].startswith("-")
    if option in NAMED and not free:
        raise UsageError(f"{option}: expected an argument")
    if option not in NAMED | MAYBE_NAME | MAYBE_NUMBER:
        raise UsageError(f"there is no option {option}")
    return (
        words.pop(0)
        if free and (option not in MAYBE_NUMBER or words[0].isdigit())
        else ""
    )
