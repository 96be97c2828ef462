"""How large angles, lengths and arms may be: beyond what machines have, and far from overflow."""

LARGEST_ANGLE = 1e3
"""rad, to either side: some 160 turns."""

LARGEST_LENGTH = 1e4
"""m, to either side."""

LARGEST_POSITION = 1e9
"""rad, to either side: where a joint may stand.

A continuous joint may have turned in one sense for years. A double tells 1.2e-7 rad apart there.
"""

MOST_JOINTS = 64
"""In a chain."""

MOST_PASSES = 1_000_000_000
"""That a solver makes, even if more are allowed."""

MOST_POINTS = 100_000
"""On a path."""
