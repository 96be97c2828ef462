"""What the sources of the package say: their imports, and the arguments of setup()."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from harness import ROOT


def imports(path: Path, everywhere: bool = True) -> Iterator[str]:
    """The full names of what a file imports, wherever in it that is or not inside of functions."""
    tree = ast.parse(path.read_text(), path)
    for node in ast.walk(tree) if everywhere else tree.body:
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            yield from (f'{node.module}.{alias.name}' for alias in node.names)


def setup_arguments() -> dict[str, Any]:
    """The arguments of setup() that are literals."""
    (call,) = (
        node
        for node in ast.walk(ast.parse((ROOT / 'setup.py').read_text()))
        if isinstance(node, ast.Call) and getattr(node.func, 'id', '') == 'setup'
    )
    wanted = ('version', 'install_requires', 'extras_require')
    return {
        keyword.arg: ast.literal_eval(keyword.value)
        for keyword in call.keywords
        if keyword.arg in wanted
    }
