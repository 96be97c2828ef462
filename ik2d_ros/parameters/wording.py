"""Text from elsewhere made fit for a message, a log or a terminal; no ROS in here.

Names, frames and files are named by others. Put into a line as they are, a newline forges the next
line of a log, an escape sequence takes over the terminal, a direction mark turns the words around,
and a megabyte buries everything else.
"""

from __future__ import annotations

import re

LONGEST = 200
"""Characters that a message shows of a text from elsewhere."""

# C0, DEL and C1; direction marks, embeddings, overrides and isolates; the separators of lines and
# paragraphs; lone surrogates, which no encoding can write; and what is no character at all.
_UNSAFE = re.compile(
    '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]'
)


def is_printable(text: str) -> bool:
    """Whether a text can stand in a message as it is, but for its length."""
    return _UNSAFE.search(text) is None


def printable(text: str, longest: int = LONGEST) -> str:
    r"""A text on one line, its control characters written as Python does (``\n``, ``\x1b``).

    Args:
        text: any text, from anywhere.
        longest: the number of characters after which it is cut, with ``...``.
    """
    escaped = _UNSAFE.sub(lambda found: ascii(found.group())[1:-1], text[: longest + 1])
    return escaped if len(escaped) <= longest else f'{escaped[: longest - 3]}...'
