"""Robot descriptions (URDF, xacro): read, searched for a planar arm, and imported; no ROS."""
