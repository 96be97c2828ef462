"""Inverse kinematics of planar arms: a plain Python library and the ROS 2 node around it."""

from __future__ import annotations

TYPE_CHECKING = False  # as in typing, which is slow to import itself
if TYPE_CHECKING:
    from pathlib import Path

    from ik2d_ros.kinematics import Arm, Chain

__version__ = '0.1.0'


def load_arm(path: str | Path, node: str = 'ik2d') -> Chain | Arm:
    """Read the arm of a ROS parameter file, as the node does; needs no ROS.

    Example:
        >>> load_arm('so101').names
        ('shoulder_pan', 'shoulder_lift', 'elbow_flex', 'wrist_flex', 'wrist_roll')

    Args:
        path: the file, or the name of a shipped one, such as ``two_bone``.
        node: the node whose parameters to take: a name, or a full name such as ``/left/ik2d``.

    Returns:
        An :class:`.Arm` in the file's ``base_frame`` if it has a turntable, a lift or a roll,
        else a :class:`.Chain` in its own plane: ``base.xyz`` and ``base.rpy`` do not matter to it.

    Raises:
        Ik2dError: the file is refused; the message names the file and what is wrong.
    """
    from ik2d_ros.parameters.shipped import find_config  # noqa: PLC0415
    from ik2d_ros.robot.from_urdf import load_arm as load_described  # noqa: PLC0415

    arm = load_described(find_config(str(path)), node)
    return arm.kinematics if arm.carrier or arm.roll else arm.chain
