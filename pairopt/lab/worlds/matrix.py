"""Law of results `matrix`."""

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from pairopt.errors import InputError, UsageError
from pairopt.event.arcs import FloatArray
from pairopt.lab.worlds import Chances, Games


@dataclass(frozen=True)
class Matrix:
    """A matrix of results: row i, column j has the probability that i beats j.

    The rows, in `wins`, and the columns are players. The rest of the probability is
    that of a draw. The strength of a player is the mean expected score against the
    others, in Elo points. Sides do not matter. Raises UsageError for a matrix that is
    not square, or whose elements are no such probabilities. A call returns the
    probabilities of a win of `one` and of a draw for each game.
    """

    kind: ClassVar[str] = "matrix"

    wins: tuple[tuple[float, ...], ...]

    def __post_init__(self) -> None:
        """Raise UsageError unless `wins` is a square matrix of possible probabilities.

        The diagonal does not matter. Two players' probabilities have a sum of at most
        1.
        """
        player_count = len(self.wins)
        if player_count < 2 or any(
            len(matrix_row) != player_count for matrix_row in self.wins
        ):
            raise UsageError("world.matrix_not_square")
        win_matrix = self._table
        is_off_diagonal = ~np.eye(player_count, dtype=np.bool_)
        is_valid = (win_matrix >= 0) & (win_matrix + win_matrix.T <= 1 + 1e-9)
        if not is_valid[is_off_diagonal].all():
            raise UsageError("world.matrix_unfit")

    @classmethod
    def of_text(cls, path: str) -> "Matrix":
        """Read a matrix from a CSV file of numbers without a header, at the given path.

        Raises InputError for a file that cannot be read as numbers, UsageError if they
        are no matrix of results.
        """
        try:
            win_matrix = np.loadtxt(path, delimiter=",", ndmin=2, dtype=np.float64)
        except OSError as error:
            raise InputError(
                path, "file.unread", why=str(error.strerror or error)
            ) from None
        except ValueError as error:
            raise InputError(path, "world.no_matrix", why=str(error)) from None
        return matrix_of(win_matrix)

    @property
    def _table(self) -> FloatArray:
        """The probabilities that player i beats player j, shape (players, players)."""
        return np.array(self.wins, np.float64)

    def strengths(self, luck: FloatArray) -> FloatArray:
        """Return the strength in Elo points that follows from each player's mean score.

        It is 1500 for an expected score of one half against all others. Only the length
        of `luck`, the number of players, is used.

        Raises UsageError for another number of players.
        """
        player_count = len(self.wins)
        if len(luck) != player_count:
            raise UsageError("world.matrix_size", size=player_count, players=len(luck))
        win_matrix = self._table
        is_diagonal = np.eye(player_count, dtype=np.bool_)
        expected_scores = np.where(is_diagonal, 0, (1 + win_matrix - win_matrix.T) / 2)
        mean_scores = np.clip(
            expected_scores.sum(axis=1) / (player_count - 1), 0.001, 0.999
        )
        return np.asarray(1500 + 400 * np.log10(mean_scores / (1 - mean_scores)))

    def __call__(self, met: Games, /) -> Chances:
        """Return the probabilities of a win of `one` and of a draw, from the matrix.

        Both have shape (m,), one number per game.
        """
        win_matrix = self._table
        win_probabilities = win_matrix[met.one, met.two]
        return win_probabilities, np.maximum(
            1 - win_probabilities - win_matrix[met.two, met.one], 0
        )


def matrix_of(table: FloatArray) -> Matrix:
    """Make a law of results from an array of shape (players, players).

    `table` is the array. Row i, column j is the probability that player i beats player
    j. Raises UsageError for an array that is no such matrix.
    """
    return Matrix(
        tuple(
            tuple(matrix_row) for matrix_row in np.asarray(table, np.float64).tolist()
        )
    )
