"""Which tests are fast, and how the examples of hypothesis are drawn for planted faults."""

from __future__ import annotations

import pytest
from hypothesis import Phase, settings

# a fault is noticed by any example: no time goes into a smallest one
settings.register_profile("mutants", phases=[Phase.explicit, Phase.generate])


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Every test that is neither long nor slow is fast."""
    for item in items:
        if not any(item.get_closest_marker(name) for name in ("long", "slow")):
            item.add_marker(pytest.mark.fast)
