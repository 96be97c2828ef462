"""From one pose to the next within motion limits; no ROS imports."""
