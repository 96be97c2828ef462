"""What a ros2_control controller takes, and the rules by which it refuses; no ROS imports."""
