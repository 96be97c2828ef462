"""Turns requests, measurements and settings into commands and statuses; no ROS imports.

Words:

* request: anything that can be asked. A target moves the arm, and the last target wins; a query
  asks for the answer to a target, and nothing moves.
* answer: what planning a target returns: refused, staying, or going to a pose, along a path or at
  velocities; with a report.
* report: the content of one status; its code is the outcome. ``BLOCKED``: a wall stops the arm, is
  in front of the target, or no way past it was found.
* pose: of the arm: the positions of all joints; a ``Pose`` asks for one of the tip.
* jog: to move the tip, joints or held (auxiliary) joints at a velocity, as by moveit_servo.
* stamp: a client's time of its target, for its age and frame; statuses have it, too.
"""
