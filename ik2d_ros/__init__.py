"""Inverse kinematics of planar arms: a plain Python library and the ROS 2 node around it."""

__version__ = '0.1.0'
