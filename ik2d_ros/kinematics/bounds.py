"""How large an angle or a length may be: far beyond any arm, and far from where sums overflow.

Without bounds, finite numbers could add up to infinity, whose sine is an error. At the bounds, a
double still tells 1e-9 rad and 1e-9 m apart.
"""

LARGEST_ANGLE = 1e6
"""rad, to either side: some 160,000 turns."""

LARGEST_LENGTH = 1e6
"""m, to either side."""

LARGEST_POSITION = 1e9
"""rad, to either side: where a joint may stand.

A continuous joint may have turned in one sense for years. A double tells 1.2e-7 rad apart there.
"""

MOST_JOINTS = 256
"""In a chain."""

MOST_PASSES = 1_000_000_000
"""That a solver makes, even if more are allowed."""

MOST_POINTS = 100_000
"""On a path."""
