"""What the tests of `pairopt-fide` share."""

import pytest
from engine_calls import Called


@pytest.fixture
def call(capsys: pytest.CaptureFixture[str]) -> Called:
    return Called(capsys)
