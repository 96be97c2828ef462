"""How large an angle or a length may be: far beyond any arm, and far from where sums overflow.

Without a bound, what each by itself is finite adds up to infinity, and the sine of that is an
error. At the bounds, a double still tells 1e-9 rad and 1e-9 m apart.
"""

LARGEST_ANGLE = 1e6
"""rad, to either side: some 160,000 turns."""

LARGEST_LENGTH = 1e6
"""m, to either side."""

LARGEST_POSITION = 1e9
"""rad, to either side: where a joint may stand.

Beyond the largest angle, for a continuous joint may have turned on for years. A double tells
1.2e-7 rad apart there.
"""

MOST_JOINTS = 256
"""Of any chain."""

MOST_PASSES = 1_000_000_000
"""Of a solver, however many are allowed."""

MOST_POINTS = 100_000
"""Of a path."""
