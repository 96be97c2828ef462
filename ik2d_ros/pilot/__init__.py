"""Turns requests, measurements and settings into commands and statuses; no ROS imports.

Words:

* request: anything that can be asked; a target is one that moves the arm, and the last one wins;
  a query asks what the answer to a target would be.
* answer: what became of a target: refused, held, or followed to a pose; with the report on it.
* report: the content of one status; its code is the outcome.
* positions: those of joints; a pose of the arm is all of them, a ``Pose`` asks for one of the tip.
* jog: to move at a velocity for as long as messages come, as moveit_servo does.
* stamp: by which a client knows the statuses of its target.
"""
