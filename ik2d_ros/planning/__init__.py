"""Plans single motions: the branch of the arm, trajectories past walls, differential kinematics.

Words:

* side: to which the arm bends, kept when it comes out of a stretched pose.
* hysteresis: a closest pose is kept until another one is 5 % closer.
* detour: a trajectory over poses between, where joints in step would cross a wall.
"""
