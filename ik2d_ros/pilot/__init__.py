"""Turns requests, measurements and settings into commands and statuses; no ROS imports.

Words:

* request: anything that can be asked. A target moves the arm, and the last target wins; a query
  asks for the answer to a target, and nothing moves.
* answer: to a target: refused, staying, or going to a pose; with the report on it.
* report: the content of one status; its code is the outcome.
* positions: those of joints; a pose of the arm is all of them, a ``Pose`` asks for one of the tip.
* jog: to move at a velocity for as long as messages come, as moveit_servo does.
* stamp: by which a client knows the statuses of its target.
"""
