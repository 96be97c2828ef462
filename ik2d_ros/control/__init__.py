"""Decides what a robot is commanded, and writes commands for ros2_control; no ROS imports."""
