"""Decides what a robot is commanded, and writes commands for ros2_control; no ROS imports.

Words, in the terms of ros2_control:

* command: the pose of all commanded joints that is sent in one period.
* start: where commands begin anew, after a time in which none were sent.
* following error: how far a command is ahead of the measured joint; the motion goes on within the
  following tolerance and what the joint was seen to move in the following delay.
* held back: a motion that brakes and keeps its goal, as the arm does not follow.
* stop: to brake and forget the target; abort: to stand at the commanded pose at once.
* hand over: to stop, and command nothing as soon as the joints stand.
* sag: what an arm does whose power or controller is lost; commands follow it down.
* auxiliary joint: one of the controller's joints that is not the arm's, such as a gripper's. It is
  held at a position, or jogged at a velocity.
"""
