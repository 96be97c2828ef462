"""From one pose to the next within motion limits; no ROS imports.

Words, in the terms of Ruckig and MoveIt:

* motion: what joints do at one moment, an immutable value that returns the next: ``ToPose``,
  ``AlongTrajectory``, ``AtVelocity`` or ``Stopping``, also once they stand.
* goal: the pose at which a motion comes to rest.
* profile: position, velocity and acceleration by time to a goal or a velocity, as Ruckig gives it.
* trajectory: poses by time, at rest at both ends, that come from a path; a motion along one may
  slow down, but does not leave it. Its rate is how fast its time passes, 1 for as planned.
* stream: goals that come so fast that they are followed in motion, as a dragged handle's.
* stop: how joints come to rest from here; blocked: stopped by a wall.
* drift: the velocity of a goal that moves.
* scaling: the factor of velocities and accelerations, MoveIt's two scaling factors in one.
"""
