"""The rates at which a node may publish; no ROS in here."""

from __future__ import annotations

# Slower, and whoever waits for it takes the node for dead; its period, added to the time of day in
# ns, must also fit into 64 bits. Faster, and the timer leaves no time for anything else.
LOWEST_RATE = 0.01  # Hz
HIGHEST_RATE = 10_000.0  # Hz
