"""What an arm does with what it is asked, without ROS."""
