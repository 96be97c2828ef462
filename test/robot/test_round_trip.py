"""An imported arm moves like its robot, and its URDF and parameter file give it again."""

from __future__ import annotations

import contextlib
import math
from collections.abc import Sequence
from xml.sax.saxutils import quoteattr

import numpy as np
import pytest
from descriptions import ARM, arm_of, assert_same, difference, imported, joint, robot
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from public_machines import LIMBS, file_of

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.arm.urdf import TIP, urdf_of
from ik2d_ros.commands.import_urdf import parameter_text
from ik2d_ros.kinematics import Plane
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.parameters.file import load_parameters
from ik2d_ros.parameters.sanitize import is_printable
from ik2d_ros.robot.from_urdf import load_arm
from ik2d_ros.robot.importing import Imported, import_arm
from ik2d_ros.robot.options import ImportOptions
from ik2d_ros.robot.urdf import read_robot


def there_and_back(arm: ArmDescription) -> ArmDescription:
    return arm_of(import_arm(read_robot(urdf_of(arm), 'r.urdf'), arm.base_frame, TIP))


@pytest.mark.parametrize(('name', 'node'), LIMBS)
def test_shipped_arms_survive_a_round_trip(name: str, node: str) -> None:
    """Except for the limits of bends."""
    arm = load_arm(file_of(name), node)
    back = there_and_back(arm)
    assert_same(arm, back)
    assert [joint.absolute for joint in back.chain.joints] == [
        joint.absolute for joint in arm.chain.joints
    ]
    assert math.hypot(*back.chain.tool) == pytest.approx(math.hypot(*arm.chain.tool))


NAMES = st.one_of(
    st.sampled_from(
        ['y', 'no', 'null', '1', '1e3', '0x10', '~', '.inf', '- a', '# b', 'a: b', '{', '*x']
    ),
    st.text(
        st.characters(blacklist_categories=('C', 'Z'), max_codepoint=0x2FFF),
        min_size=1,
        max_size=12,
    ),
)


def named(name: str) -> Imported:
    text = robot(*ARM).replace('"elbow"', quoteattr(name)).replace('"base"', quoteattr(f'{name} 2'))
    return imported(text)


@given(name=NAMES)
def test_any_names_survive_a_round_trip(
    tmp_path_factory: pytest.TempPathFactory, name: str
) -> None:
    result = named(name)
    path = tmp_path_factory.getbasetemp() / 'names.yaml'
    path.write_text(parameter_text(result, 'arm.urdf'), encoding='utf-8')
    assert load_parameters(path) == result.parameters
    assert load_arm(path) == arm_of(result)


@pytest.mark.parametrize(
    'name', ['a\n/**: {ros__parameters: {x: 1}}', 'a\x85b', '\u202eevil', 'x' * 300]
)
def test_names_cannot_forge_lines(name: str) -> None:
    with contextlib.suppress(ConfigError):
        text = parameter_text(named(name), f'{name}.urdf')
        assert all(is_printable(line) for line in text.splitlines())
        assert text.count('/**:') == 1


Matrix = NDArray[np.float64]
ANGLES = st.floats(-3.0, 3.0)
LENGTHS = st.floats(0.05, 0.5)


def pose(xyz: Sequence[float] = (0.0, 0.0, 0.0), rpy: Sequence[float] = (0.0, 0.0, 0.0)) -> Matrix:
    """A pose as a (4, 4) matrix."""
    plane = Plane.from_pose(xyz, rpy)
    return np.column_stack([np.vstack([plane.axes, plane.origin]), [0.0, 0.0, 0.0, 1.0]]).T


@st.composite
def machines(draw: st.DrawFn) -> tuple[list[str], list[str], str, str, dict[str, float]]:
    """A robot's joints, those of its plane, its turntable or '', its lift or '', what is held.

    Joints slide in the plane anywhere: before, between and behind those that turn, and before a
    turntable along its axis. The plane is the x-y plane of a frame that turns with the links; the
    link itself is turned in that frame, as links of real robots are.
    """
    joints, planar, turntable, lift, hold = list[str](), list[str](), '', '', dict[str, float]()
    hidden = np.eye(4)
    carrier = draw(st.sampled_from(['none', 'turntable', 'lift']))
    turns = draw(st.integers(2, 4))
    lift_at = draw(st.integers(0, turns)) if carrier == 'lift' else -1

    def place() -> Matrix:
        xyz = draw(LENGTHS), draw(LENGTHS), draw(st.floats(-0.2, 0.2))
        return pose(xyz, (0.0, 0.0, draw(ANGLES)))

    def add(kind: str, where: Matrix, *axes: str) -> str:
        """Add a joint at a pose in the frame before, its axis x, y, z or against one."""
        nonlocal hidden
        before, hidden = hidden, pose(rpy=(draw(ANGLES), draw(ANGLES) / 2.1, draw(ANGLES)))
        (a, b, c, (x, y, z, _)) = (np.linalg.inv(before) @ where @ hidden).T
        rpy = Plane((x, y, z), (tuple(a[:3]), tuple(b[:3]), tuple(c[:3]))).rpy()
        axis = draw(st.sampled_from(axes))
        # yourdfpy slides by the length of the axis.
        length = (7.0 if kind == 'revolute' else 1.0) * (-1.0 if axis.startswith('-') else 1.0)
        direction = length * hidden['xyz'.index(axis[-1]), :3]
        words = ' '.join(map(repr, direction.tolist()))
        name, links = f'j{len(joints)}', (f'l{len(joints)}', f'l{len(joints) + 1}')
        joints.append(joint(name, *links, kind, (x, y, z), rpy, words))
        return name

    # The base stands anywhere.
    add('fixed', pose((0.1, -0.2, 0.3), draw(st.tuples(ANGLES, ANGLES, ANGLES))), 'z')
    if carrier == 'turntable':
        axis = draw(st.sampled_from(['x', '-x', 'y']))
        where = place()
        if draw(st.booleans()):
            planar.append(add('prismatic', where, axis[-1], f'-{axis[-1]}'))
            where = pose((0.1, 0.2, 0.3))
        turntable = add('revolute', where, axis)
    for index in range(turns + 1):
        if draw(st.integers(0, 3)) == 0:
            where = draw(st.sampled_from([np.eye(4), place()]))
            planar.append(add('prismatic', where, 'x', '-x', 'y', '-y'))
        if index == lift_at:
            lift = add('prismatic', place(), 'z', '-z')
        if index < turns:
            planar.append(add('revolute', place(), 'z', '-z'))
        if draw(st.booleans()):
            add('fixed', place(), 'z')
    if draw(st.booleans()):  # it may move the tip more than joints that nearly coincide
        hold[add('revolute', place(), 'x')] = draw(ANGLES)
    add('fixed', place(), 'z')
    return joints, planar, turntable, lift, hold


@given(machines())
def test_an_imported_arm_moves_like_its_robot(
    made: tuple[list[str], list[str], str, str, dict[str, float]],
) -> None:
    joints, planar, turntable, lift, hold = made
    text = robot(*joints)
    result = imported(text, f'l{len(joints)}', ImportOptions(hold=hold))
    assert result.parameters['joints'] == planar
    assert result.parameters.get('turntable.joint', '') == turntable
    assert result.parameters.get('lift.joint', '') == lift
    assert difference(text, result, hold, count=5) < 1e-9
    # The URDF that is written of the arm is the same arm again.
    arm = arm_of(result)
    back = there_and_back(arm)
    assert_same(arm, back)
    for one, other in zip(arm.chain.joints, back.chain.joints, strict=True):
        assert (other.axis, other.type) == (one.axis, one.type)
        assert other.link == pytest.approx(one.link, abs=1e-9)
