"""What parameters may be, and the files that they come from; no ROS in here."""
