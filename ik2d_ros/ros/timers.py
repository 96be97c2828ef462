"""The allowed publishing rates of a node; no ROS imports."""

from __future__ import annotations

# Slower, the node seems dead to subscribers; the period, added to the time of day in ns, must also
# fit into 64 bits. Faster, the timer leaves no time for anything else.
LOWEST_RATE = 0.01  # Hz
HIGHEST_RATE = 10_000.0  # Hz
