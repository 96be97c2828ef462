"""Motions of joints within limits on velocity, acceleration and jerk; no ROS imports.

Words, in the terms of Ruckig and MoveIt:

* pose: the positions of all joints, here and in ``control/``; not that of a frame or the tip.
* motion: the state of moving joints, an immutable value that returns the next, also at rest:
  ``ToPose``, ``AlongTrajectory``, ``AtVelocity`` or ``Stopping``.
* goal: the pose at which a motion comes to rest.
* profile: states by time to a goal or a velocity, as Ruckig's trajectory; in step: synchronized.
* trajectory: a time-parameterized path, at rest at both ends; a motion along one may slow down, but
  does not leave it. Its rate is how fast its time passes, 1 for as planned.
* stream: goals at such a rate that the joints track them without stopping, as a dragged handle's.
* safe stop: the braking motion from here, without collision; blocked: stopped by a wall.
* drift: the velocity of a moving goal.
* scaling: the factor of velocities and accelerations, MoveIt's two scaling factors in one.
"""
