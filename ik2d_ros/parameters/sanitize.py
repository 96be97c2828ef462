"""Making untrusted text safe for a message, a log or a terminal; no ROS imports.

Names of joints, frames and files come from outside. Printed as they are, a newline forges the next
line of a log, an escape sequence takes over the terminal, a direction mark reorders the text, and a
megabyte buries everything else.
"""

from __future__ import annotations

import re

LONGEST = 200
"""Characters of an untrusted text that a message shows."""

# C0, DEL and C1; direction marks, embeddings, overrides and isolates; line and paragraph
# separators; lone surrogates, which no encoding can write; and noncharacters.
_UNSAFE = re.compile(
    '[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ud800-\udfff\ufeff\ufffe\uffff]'
)


def is_printable(text: str) -> bool:
    """Return whether a text can go into a message unchanged, apart from its length."""
    return _UNSAFE.search(text) is None


def printable(text: str, longest: int = LONGEST) -> str:
    r"""Return a text as one line, with control characters escaped (``\n``, ``\x1b``).

    Args:
        text: any text.
        longest: number of characters after which it is cut, with ``...``.
    """
    escaped = _UNSAFE.sub(lambda found: ascii(found.group())[1:-1], text[: longest + 1])
    return escaped if len(escaped) <= longest else f'{escaped[: longest - 3]}...'
