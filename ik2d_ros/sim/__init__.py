"""Simulates the arm in MuJoCo, behind the interface of a ros2_control controller."""
