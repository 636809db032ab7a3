"""No module of the package imports itself by way of others, wherever these imports stand."""

from __future__ import annotations

import grimp


def modules_in_cycles(graph: grimp.ImportGraph) -> list[tuple[str, str]]:
    """Return each import that closes a cycle, as the importing and the imported module."""
    return sorted(
        (importer, imported)
        for importer in graph.modules
        for imported in graph.find_modules_directly_imported_by(importer)
        if graph.chain_exists(importer=imported, imported=importer)
    )


def test_a_cycle_is_found_of_two_or_of_three() -> None:
    graph = grimp.ImportGraph()
    for importer, imported in [
        ("a", "b"),
        ("b", "a"),
        ("c", "d"),
        ("d", "e"),
        ("e", "c"),
    ]:
        graph.add_import(importer=importer, imported=imported)
    graph.add_import(importer="a", imported="c")

    found = modules_in_cycles(graph)

    assert found == [("a", "b"), ("b", "a"), ("c", "d"), ("d", "e"), ("e", "c")]


def test_no_module_is_in_an_import_cycle() -> None:
    """Imports in functions and below TYPE_CHECKING count, too: there they only hide a cycle."""
    graph = grimp.build_graph(
        "pairopt", exclude_type_checking_imports=False, cache_dir=None
    )

    assert modules_in_cycles(graph) == []
