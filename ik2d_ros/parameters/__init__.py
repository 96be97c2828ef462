"""Parameter checks, parameter tables and parameter files; no ROS imports."""
