"""Statuses and methods as numbers, and the angle that asks for none."""

from __future__ import annotations

import math

# Values of Status.
REACHED, TOO_FAR, TOO_NEAR, JOINT_LIMIT, NOT_CONVERGED, TIP_ANGLE = 0, 1, 2, 3, 4, 5

# What is tried before the decision: nothing for the closed form.
DESCENT, SWEEPS, CLOSED_FORM = 0, 1, 2
METHODS = {'hybrid': DESCENT, 'ccd': SWEEPS, 'two_bone': CLOSED_FORM}

NO_ANGLE = math.inf  # In place of an angle: any will do.
