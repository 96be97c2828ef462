"""Where viser's gizmo has the square that is dragged in a plane.

The square is offset from the gizmo's origin, in units of its scale, as in PivotControls of the
JavaScript library drei.
"""

SQUARE_CENTER, SQUARE_SIDE = 1.7 / 7.0, 0.225
