"""Plans single motions: IK branch, collision-free trajectories, differential inverse kinematics.

Words; a pose is all joint positions, as in ``motion/``:

* side: the sign of the bend of the arm, kept through a stretched (singular) pose.
* hysteresis: the pose for an unreached target is kept until a far one has 5 % less error.
* detour: a trajectory over via poses, where joints in step would cross a wall.
"""
