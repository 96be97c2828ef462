"""Pages of the documentation whose end is written by a benchmark: all that follows a mark."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from pathlib import Path

from tables import Table


def page_with(mark: str) -> Callable[[str], Path]:
    """Return what reads a page's name from the command line.

    It refuses a page without the mark at once, not when the figures of a long run are to be saved.
    """

    def page(text: str) -> Path:
        path = Path(text)
        if not path.is_file():
            raise argparse.ArgumentTypeError(f'there is no file {text}')
        if mark not in path.read_text(encoding='utf-8'):
            raise argparse.ArgumentTypeError(f'{text} does not contain the line {mark}')
        return path

    return page


def write_end(page: Path, mark: str, about: str, tables: Iterable[Table]) -> None:
    """Write a few words and tables below the mark in a page, in place of what was there."""
    top = page.read_text(encoding='utf-8').partition(mark)[0].rstrip()
    body = '\n'.join([f'{about}\n', *(table.markdown() for table in tables)]).rstrip()
    page.write_text(f'{top}\n\n{mark}\n\n{body}\n', encoding='utf-8')
