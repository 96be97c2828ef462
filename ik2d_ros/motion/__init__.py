"""Motions of joints within limits on velocity, acceleration and jerk; no ROS imports.

Words, in the terms of Ruckig and MoveIt:

* pose: the positions of all joints, here and in ``control/``; not that of a frame or the tip.
* motion: the state of moving joints, an immutable value that returns the next, also at rest:
  ``ToPose``, ``AlongTrajectory``, ``AtVelocity`` or ``Stopping``.
* goal: the pose at which a motion comes to rest; one at velocities has none.
* profile: states by time to a goal or a velocity, as Ruckig's trajectory; in step: synchronized, if
  possible in phase: from rest on a straight line of joint positions.
* trajectory: a time-parameterized path, at rest at both ends, passed at a rate: 1 is as planned. A
  motion held back stays on it; one that stops may leave it, unless there are jerk limits.
* stream: goals at such a rate that the joints track them without stopping, as a dragged handle's.
* safe stop: the braking that was found collision-free last; blocked: stopped by a wall.
* drift: the final velocity of a profile: that of a moving goal.
* scaling: MoveIt's scaling factors of velocity and acceleration in one; the rate of trajectories.
"""
