"""The imports of the package."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path


def imports(path: Path, everywhere: bool = True) -> Iterator[str]:
    """The full names of what a file imports, wherever in it that is or not inside of functions."""
    tree = ast.parse(path.read_text(), path)
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f'{node.module}.{alias.name}' for alias in node.names)
