"""The robot description: the same kinematics as the chain, read by other people's parsers."""

from __future__ import annotations

import dataclasses
import io
import math
import shutil
import subprocess
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from carried import carried
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros import cli
from ik2d_ros.arm.description import ArmDescription, MotionLimits, load_arm
from ik2d_ros.arm.urdf import urdf_of
from ik2d_ros.kinematics import Chain, Ik2dError, Joint

CONFIG = Path(__file__).resolve().parents[2] / 'config'
SHIPPED = sorted(CONFIG.glob('*.yaml'))

# Next to nothing is nothing: yourdfpy divides by sizes, and takes 1e-8 off no motion for none.
angles = st.integers(-6283, 6283).map(lambda number: 1e-3 * number)
limits = st.floats(-math.tau, math.tau)
places = st.floats(-2.0, 2.0).map(lambda x: x if abs(x) > 1e-6 else 0.0)
# What XML can hold; among them the characters that it wants escaped.
names = st.one_of(
    st.sampled_from(['tip', 'tip_', 'base_link', 'a', 'a_link', 'a_base', 'a_link_', 'base_joint']),
    st.text('abc_/<&>"\'äé\t\n', min_size=1, max_size=8),
)


either = st.booleans()


@st.composite
def joints(draw: st.DrawFn, name: str, slides: st.SearchStrategy[bool]) -> Joint:
    lower, upper = draw(
        st.one_of(st.just((None, None)), st.tuples(limits, limits).map(sorted).map(tuple))
    )
    link = draw(st.one_of(st.just((0.0, 0.0)), st.tuples(places, places)))
    axis = draw(st.sampled_from([1, -1]))
    kind = 'prismatic' if lower is not None and draw(slides) else 'revolute'
    return Joint(name, link, lower, upper, draw(angles), axis, kind)


@st.composite
def arms(draw: st.DrawFn, slides: st.SearchStrategy[bool] = either) -> ArmDescription:
    unique = draw(st.lists(names, min_size=1, max_size=6, unique=True))
    chain = Chain([draw(joints(name, slides)) for name in unique])
    velocity = st.one_of(st.none(), st.floats(1e-3, 1e3))
    arm = ArmDescription(
        chain=chain,
        home=chain.middle,
        motion=tuple(MotionLimits(velocity=draw(velocity)) for _ in unique),
        base_frame=draw(names),
        base_xyz=draw(st.tuples(places, places, places)),
        base_rpy=draw(st.tuples(angles, angles, angles)),
    )
    return draw(carried(arm, MotionLimits(velocity=draw(velocity))))


poses = st.lists(angles, min_size=7, max_size=7)


def loaded(text: str) -> Any:
    """The description as yourdfpy understands it."""
    yourdfpy = pytest.importorskip('yourdfpy', reason='yourdfpy is not installed')
    return yourdfpy.URDF.load(io.BytesIO(text.encode()), build_scene_graph=True, load_meshes=False)


def places_by_urdf(arm: ArmDescription, text: str, q: tuple[float, ...]) -> np.ndarray:
    """(n + 1, 3) places of the joints and the tip in the base frame, by yourdfpy.

    NaN for a joint that slides, whose link frame goes with it.
    """
    robot = loaded(text)
    # By name: yourdfpy sorts joints in an order of its own.
    robot.update_cfg(dict(zip(arm.names, q, strict=True)))
    child = {joint.name: joint.child for joint in robot.robot.joints}
    (tip,) = set(child.values()) - {joint.parent for joint in robot.robot.joints}
    frames = [*(child[name] for name in arm.chain.names), tip]
    found = np.array([robot.get_transform(frame, arm.base_frame)[:3, 3] for frame in frames])
    found[:-1][[joint.slides for joint in arm.chain.joints]] = np.nan
    return found


def places_by_chain(arm: ArmDescription, q: tuple[float, ...]) -> np.ndarray:
    plane = arm.plane_at(q)
    return np.array([plane.point(x, y) for x, y in arm.chain.forward(arm.in_plane(q))])


@given(arms(), poses)
def test_the_transforms_are_the_forward_kinematics_of_the_chain(
    arm: ArmDescription, positions: list[float]
) -> None:
    q = tuple(positions[: len(arm.names)])
    scale = 10.0 + arm.chain.reach.outer
    error = places_by_urdf(arm, urdf_of(arm), q) - places_by_chain(arm, q)
    assert np.nanmax(np.abs(error)) <= 1e-12 * scale


@pytest.mark.parametrize('file', SHIPPED, ids=lambda file: file.stem)
def test_the_transforms_of_the_shipped_arms(file: Path) -> None:
    arm = load_arm(file)
    for q in np.random.default_rng(5).uniform(-3.0, 3.0, (20, len(arm.chain))):
        error = places_by_urdf(arm, urdf_of(arm), q) - places_by_chain(arm, q)
        assert np.nanmax(np.abs(error)) <= 1e-12


@given(arms())
def test_limits_and_velocities_arrive_to_the_last_bit(arm: ArmDescription) -> None:
    by_name = {joint.name: joint for joint in loaded(urdf_of(arm)).robot.joints}
    joints = zip(arm.names, arm.units, arm.limits, arm.motion, strict=True)
    for name, unit, limits, motion in joints:
        read, is_continuous = by_name[name], limits[0] == -math.inf
        if unit == 'm':
            assert read.type == 'prismatic'
            if is_continuous:
                assert (read.limit.lower, read.limit.upper) == (-1e6, 1e6)
        else:
            assert read.type == ('continuous' if is_continuous else 'revolute')
        if not is_continuous:
            assert (read.limit.lower, read.limit.upper) == limits
            assert read.limit.effort > 0.0
            assert read.limit.velocity > 0.0
        if motion.velocity is not None:
            assert read.limit.velocity == motion.velocity


@given(arms())
def test_the_tree_is_one_that_robot_state_publisher_takes(arm: ArmDescription) -> None:
    robot = ET.fromstring(urdf_of(arm))
    links = [link.get('name', '') for link in robot.iter('link') if 'name' in link.attrib]
    moving = [joint.get('name', '') for joint in robot.iter('joint')]
    assert all(links)
    assert all(moving)
    assert len(set(links)) == len(links)
    assert len(set(moving)) == len(moving)
    # Names that we chose are no one else's either, so that SDF, which has one namespace, takes it.
    chosen = {arm.base_frame, *arm.chain.names}
    assert chosen.isdisjoint(set(links) - {arm.base_frame})
    assert chosen.isdisjoint(set(moving) - set(arm.chain.names))

    parents = {element.get('link') for element in robot.iter('parent')}
    children = [element.get('link') for element in robot.iter('child')]
    assert len(set(children)) == len(children)
    assert set(links) - set(children) == {arm.base_frame}
    assert parents <= set(links)
    base = next(link for link in robot.iter('link') if link.get('name') == arm.base_frame)
    assert base.find('inertial') is None  # kdl_parser complains of a root with inertia

    materials = {material.get('name') for material in robot.findall('material')}
    assert {used.get('name') for used in robot.iter('material')} == materials
    sizes = [
        float(number)
        for geometry in robot.iter('geometry')
        for shape in geometry
        for text in shape.attrib.values()
        for number in text.split()
    ]
    assert sizes
    assert all(size > 0.0 for size in sizes)


@given(arms(), st.floats(1e-3, 1e3))
def test_the_drawing_grows_with_the_arm(arm: ArmDescription, factor: float) -> None:
    links = [tuple(factor * x for x in joint.link) for joint in arm.chain.joints]
    if not any(map(any, links)):
        return
    grown = ArmDescription(
        Chain([Joint(j.name, link) for j, link in zip(arm.chain.joints, links, strict=True)]),
        arm.home,
        arm.motion,
    )
    plain = ArmDescription(
        Chain([Joint(j.name, j.link) for j in arm.chain.joints]), arm.home, arm.motion
    )
    before, after = (
        [
            float(cylinder.get('radius', 'nan'))
            for cylinder in ET.fromstring(urdf_of(one)).iter('cylinder')
        ]
        for one in (plain, grown)
    )
    assert after == pytest.approx([factor * radius for radius in before], rel=1e-9)


@given(arms())
def test_a_link_has_its_own_colour_where_all_of_it_gets_that_of_its_first_part(
    arm: ArmDescription,
) -> None:
    """RViz does that."""
    robot = ET.fromstring(urdf_of(arm))
    child = {joint.get('name'): joint.find('child') for joint in robot.findall('joint')}
    first = {
        link.get('name'): visual.find('material')
        for link in robot.findall('link')
        if (visual := link.find('visual')) is not None
    }
    for joint in arm.chain.joints:
        material = first[child[joint.name].get('link')]
        is_link = joint.length and not joint.slides
        assert material.get('name') == ('ik2d_link' if is_link else 'ik2d_joint')


@given(arms(st.just(False)))
def test_a_beam_runs_from_its_joint_to_the_next(arm: ArmDescription) -> None:
    robot = ET.fromstring(urdf_of(arm))
    beams = []
    moved = {joint.get('name'): joint.find('child') for joint in robot.findall('joint')}
    of_chain = {moved[name].get('link') for name in arm.chain.names}
    links = [link for link in robot.findall('link') if link.get('name') in of_chain]
    for visual in (visual for link in links for visual in link.iter('visual')):
        origin, box = visual.find('origin'), visual.find('geometry/box')
        if origin is not None and box is not None:
            x, y, z = map(float, origin.get('xyz', '').split())
            roll, pitch, yaw = map(float, origin.get('rpy', '').split())
            assert (z, roll, pitch) == (0.0, 0.0, 0.0)
            half = 0.5 * float(box.get('size', '').split()[0])
            middle, along = np.array([x, y]), half * np.array([math.cos(yaw), math.sin(yaw)])
            beams.append([middle - along, middle + along])
    expected = [[(0.0, 0.0), joint.link] for joint in arm.chain.joints if joint.length]
    assert len(beams) == len(expected)
    if expected:
        np.testing.assert_allclose(beams, expected, atol=1e-12)


def test_the_last_link_is_called_tip_unless_that_is_taken() -> None:
    def last_link(name: str) -> str | None:
        arm = ArmDescription(Chain([Joint(name, (1.0, 0.0))]), (0.0,), (MotionLimits(),))
        return [element.get('link') for element in ET.fromstring(urdf_of(arm)).iter('child')][-1]

    assert last_link('shoulder') == 'tip'
    assert last_link('tip') != 'tip'


prefixes = st.sampled_from(['left/', 'left_', 'a', 'base_'])


@given(arms(), prefixes)
def test_a_prefix_renames_the_frames_and_nothing_else(arm: ArmDescription, prefix: str) -> None:
    plain, prefixed = (ET.fromstring(urdf_of(arm, prefix=text)) for text in ('', prefix))
    moving = set(arm.names)
    links = [link.get('name', '') for link in prefixed.findall('link')]
    joints = [joint.get('name', '') for joint in prefixed.findall('joint')]
    assert links[0] == prefix + arm.base_frame
    assert all(link.startswith(prefix) for link in links)
    assert [name for name in joints if name in moving] == list(arm.names)
    assert all(name.startswith(prefix) for name in joints if name not in moving)
    for kind, names in (('link', links), ('joint', joints)):
        before = [element.get('name', '') for element in plain.findall(kind)]
        for old, new in zip(before, names, strict=True):
            # Underscores at the end keep a name that we chose apart from all others.
            assert new.removeprefix(prefix).rstrip('_') == old.rstrip('_') or old == new
    assert len({*links, *joints}) == len(links) + len(joints) - (links[0] in moving)


@given(arms(), prefixes, poses)
def test_a_prefix_moves_nothing(arm: ArmDescription, prefix: str, positions: list[float]) -> None:
    q = tuple(positions[: len(arm.names)])
    renamed = dataclasses.replace(arm, base_frame=prefix + arm.base_frame)
    difference = places_by_urdf(renamed, urdf_of(arm, prefix=prefix), q) - places_by_urdf(
        arm, urdf_of(arm), q
    )
    assert np.nanmax(np.abs(difference)) == 0.0


def test_two_arms_with_a_prefix_each_have_no_frame_in_common() -> None:
    arm = load_arm(CONFIG / 'two_bone.yaml')
    left, right = (
        {link.get('name') for link in ET.fromstring(urdf_of(arm, prefix=prefix)).iter('link')}
        for prefix in ('left/', 'right/')
    )
    assert left.isdisjoint(right)


@pytest.mark.parametrize('which', ['joint', 'frame', 'robot'])
def test_a_name_that_xml_cannot_hold_is_refused(which: str) -> None:
    bad = 'a\x01b'
    joint, frame, robot = (bad if which == each else 'good' for each in ('joint', 'frame', 'robot'))
    arm = ArmDescription(
        Chain([Joint(joint, (1.0, 0.0))]), (0.0,), (MotionLimits(),), base_frame=frame
    )
    with pytest.raises(Ik2dError, match=r"'a\\x01b'"):
        urdf_of(arm, robot)


@pytest.mark.parametrize('file', SHIPPED, ids=lambda file: file.stem)
def test_the_parser_of_ros_takes_it(file: Path, tmp_path: Path) -> None:
    check_urdf = shutil.which('check_urdf')
    if check_urdf is None:
        pytest.skip('check_urdf is not installed (Debian: liburdfdom-tools)')
    urdf = tmp_path / 'arm.urdf'
    urdf.write_text(urdf_of(load_arm(file)))
    checked = subprocess.run([check_urdf, urdf], capture_output=True, text=True, check=False)
    assert checked.returncode == 0, checked.stderr
    assert 'root Link: base_link' in checked.stdout
    assert not checked.stderr


def test_the_command_prints_what_the_function_gives(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(['urdf', 'three_link']) == 0
    assert capsys.readouterr().out == urdf_of(load_arm(CONFIG / 'three_link.yaml'))


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    urdf = tmp_path / 'arm.urdf'
    assert cli.main(['urdf', str(CONFIG / 'snake.yaml'), '-o', str(urdf)]) == 0
    assert urdf.read_text(encoding='utf-8') == urdf_of(load_arm(CONFIG / 'snake.yaml'))
    assert not capsys.readouterr().out


def test_the_command_takes_a_prefix(capsys: pytest.CaptureFixture[str]) -> None:
    assert cli.main(['urdf', 'two_bone', '--prefix', 'left/']) == 0
    written = capsys.readouterr().out
    assert written == urdf_of(load_arm(CONFIG / 'two_bone.yaml'), prefix='left/')
    assert 'left/base_link' in written


def test_what_cannot_be_read_or_written_is_named(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert cli.main(['urdf', 'three_lnik']) == 2
    assert 'three_link' in capsys.readouterr().err

    urdf = tmp_path / 'nowhere/arm.urdf'
    assert cli.main(['urdf', 'two_bone', '--output', str(urdf)]) == 1
    assert f'{urdf}: cannot be written: ' in capsys.readouterr().err
