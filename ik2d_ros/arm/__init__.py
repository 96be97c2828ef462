"""The arm: its description, its plane, its reachable area, its URDF; no ROS imports."""
