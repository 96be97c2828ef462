"""The arm: its description and coordinates; no ROS imports."""
