"""The arm in physics, behind the interface of a ros2_control controller."""
