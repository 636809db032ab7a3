"""Parse the arguments of `pairopt-fide`, which are those of JaVaFo and bbpPairings.

An option whose argument is optional takes the next word unless it begins with a minus.
Sources: JaVaFo's Advanced User Manual (release 2.2), bbpPairings' README (version 6).
"""

from collections.abc import Sequence
from dataclasses import dataclass

from pairopt.common.limits import parse_digits
from pairopt.common.serialization import read_package_toml
from pairopt.errors import UsageError
from pairopt.messages.formatting import shorten

FLAGS = {"-r", "-b", "-w", "-k"}
MAYBE_NUMBER = {"-c", "-q"}
"""Options with an optional number."""
MAYBE_NAME = {"-p", "-l", "-g"}
"""Options with an optional name of a file."""
NAMED = {"-o", "-s"}
"""Options that need an argument."""
ACTIONS = {"-p", "-c", "-g"}
TEXTS = read_package_toml("pairopt.cli.fide", "arguments.toml")
USAGE: str = TEXTS["usage"]
HELP: str = TEXTS["help"]


@dataclass(frozen=True, slots=True)
class FideArguments:
    """The parsed arguments: an action, the pairing system, inputs and options.

    `action` is -p, -c or -g, or "" for none. `system` is a name such as "dutch", or "".
    `inputs` are paths of reports. `given` has the argument of each option, "" for an
    option without one.
    """

    action: str
    system: str
    inputs: tuple[str, ...]
    given: dict[str, str]

    def has(self, option: str) -> bool:
        """Return whether an option such as "-l" is given."""
        return option in self.given

    def number(self, option: str, most: int) -> int | None:
        """Return the number given with an option, None if there is none.

        An option without an argument has none, either. Raise UsageError for anything
        but a whole number from 0 to `most`.
        """
        argument_text = self.given.get(option, "")
        if not argument_text:
            return None

        number = parse_digits(argument_text, most)
        if number is None:
            raise UsageError(
                f"{option}: found {shorten(argument_text)}, expected a number from 0 to {most}"
            )
        return number


def parse_call(arguments: Sequence[str]) -> FideArguments:
    """Parse the words of a command line, without the program's name.

    The option -k is pairopt's own. Raise UsageError for arguments that neither JaVaFo
    nor bbpPairings has, for an option given twice, for several actions or systems, for
    inputs without an action, and for -k with inputs or without -p.
    """
    argument_by_option = dict[str, str]()
    typed_systems = list[str]()
    input_paths = list[str]()
    remaining_words = list(arguments)
    while remaining_words:
        typed_word = remaining_words.pop(0)
        if typed_word.startswith("--"):
            typed_systems.append(typed_word[2:])
        elif not typed_word.startswith("-"):
            input_paths.append(typed_word)
        elif typed_word in argument_by_option:
            raise UsageError(f"{typed_word} is given twice")
        else:
            argument_by_option[typed_word] = _take_argument(typed_word, remaining_words)

    typed_actions = [option for option in argument_by_option if option in ACTIONS]
    if len(typed_actions) > 1 or (
        not typed_actions and (input_paths or argument_by_option.keys() - FLAGS)
    ):
        raise UsageError("expected one of -p, -c and -g")
    if len(typed_systems) > 1:
        raise UsageError("expected one system")

    action = typed_actions[0] if typed_actions else ""
    if "-k" in argument_by_option and (action != "-p" or input_paths):
        raise UsageError(
            "-k: expected -p without a report, because the standard input has the paths"
        )
    if action == "-g":
        has_two_sources = len(input_paths) > 1 or bool(
            input_paths and argument_by_option["-g"]
        )
        if "-o" not in argument_by_option or has_two_sources:
            raise UsageError(
                "-g: expected -o OUT, and a model or a configuration, not both"
            )
    return FideArguments(
        action,
        typed_systems[0] if typed_systems else "",
        tuple(input_paths),
        argument_by_option,
    )


def _take_argument(option: str, words: list[str]) -> str:
    """Remove an option's argument from the words after it, and return it.

    Return "" if the option takes no argument, or if it is left out. Raise UsageError
    for an unknown option, or if a needed argument is missing.
    """
    if option in FLAGS:
        return ""

    has_argument_word = bool(words) and not words[0].startswith("-")
    if option in NAMED and not has_argument_word:
        raise UsageError(f"{option}: expected an argument")
    if option not in NAMED | MAYBE_NAME | MAYBE_NUMBER:
        raise UsageError(f"there is no option {option}")
    if not has_argument_word:
        return ""
    if option in MAYBE_NUMBER and not words[0].isdigit():
        return ""
    return words.pop(0)
