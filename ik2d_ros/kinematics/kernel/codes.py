"""Numbers that stand for words: statuses, methods, and no angle."""

from __future__ import annotations

import math

# Values of Status.
REACHED, TOO_FAR, TOO_NEAR, JOINT_LIMIT, NOT_CONVERGED, TIP_ANGLE = 0, 1, 2, 3, 4, 5

# Tried before the decision; a meeting is the decision itself.
DESCENT, SWEEPS, MEETING = 0, 1, 2
METHODS = {'hybrid': DESCENT, 'ccd': SWEEPS, 'two_bone': MEETING}

NO_ANGLE = math.inf  # Asks for no angle.
