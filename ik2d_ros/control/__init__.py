"""Commands a robot through ros2_control, by goals and measurements; no ROS imports.

Words, in the terms of ros2_control:

* command: the pose of all commanded joints that is sent in one period.
* start: where commands begin anew, after a time in which none were sent.
* following error: how far a command is ahead of the measured joint; it must stay within the
  following tolerance plus the travel of the joint in the following delay.
* held back: braking with the goal kept, as the arm does not follow.
* stop: to brake and forget the goal; abort: to end goal and commands at once.
* hand over: to stop, and command nothing as soon as the joints are at rest.
* sag: the descent of an arm without power or controller; commands follow it down.
* auxiliary joint, or held joint: one of the controller's that is not the arm's, as a gripper's. It
  is held at a position (parameter ``hold.<joint>``), or jogged at a velocity.
"""
