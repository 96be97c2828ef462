"""What an arm is: its description, its plane, the area that it reaches; no ROS in here."""
