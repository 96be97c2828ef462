"""Parsers and physics engines read the URDF unchanged."""

from __future__ import annotations

import xml.etree.ElementTree as ET
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from space import ARMS, described

from ik2d_ros.arm.description import ArmDescription
from ik2d_ros.drawing.solids import DENSITY, SMALLEST_INERTIA
from ik2d_ros.kinematics import Chain
from ik2d_ros.robot.export import urdf_of
from ik2d_ros.robot.find import ImportOptions
from ik2d_ros.robot.importing import compare
from ik2d_ros.robot.urdf import read_robot

# Characters that XML allows, among them the ones that must be escaped.
names = st.one_of(
    st.sampled_from(['tip', 'tip_', 'base_link', 'a', 'a_link', 'a_base', 'a_link_', 'base_joint']),
    st.text('abc_/<&>"\'äé\t\n', min_size=1, max_size=8),
)


@st.composite
def arms(draw: st.DrawFn) -> ArmDescription:
    """Arms of every kind, their frames and joints with names of any kind."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    arm = described(ARMS[draw(st.sampled_from([*ARMS]))](rng))
    count = len(arm.chain) + 1
    base, *own = draw(st.lists(names, min_size=count, max_size=count, unique=True))
    pairs = zip(arm.chain.joints, own, strict=True)
    joints = [replace(joint, name=name) for joint, name in pairs]
    return replace(arm, chain=Chain(joints, tool=arm.chain.tool), base_frame=base)


@given(arms(), st.sampled_from(['', 'left/', 'left_', 'a', 'base_']))
def test_names_are_unique_and_only_frames_are_prefixed(arm: ArmDescription, prefix: str) -> None:
    robot, moving = ET.fromstring(urdf_of(arm, prefix=prefix)), set(arm.names)
    links = [link.get('name', '') for link in robot.findall('link')]
    joints = [joint.get('name', '') for joint in robot.findall('joint')]
    assert links[0] == prefix + arm.base_frame
    assert all(link.startswith(prefix) for link in links)
    assert [name for name in joints if name in moving] == list(arm.names)
    assert all(name.startswith(prefix) for name in joints if name not in moving)
    # Even in SDF, which has one namespace for links and joints.
    assert len({*links, *joints}) == len(links) + len(joints) - (links[0] in moving)
    assert robot.find('link/inertial/..') is not robot.find('link')  # of which kdl_parser complains


@given(arms())
def test_the_tip_of_the_tree_is_that_of_the_arm(arm: ArmDescription) -> None:
    robot = read_robot(urdf_of(arm), 'arm')
    tip = robot.joints[-1].child
    off = compare(arm, robot, tip, ImportOptions(), 5)[0]
    assert off <= 1e-9 * (10.0 + arm.chain.reach.outer)


@given(arms().filter(lambda arm: arm.chain.reach.outer > 0.05))
def test_mujoco_infers_the_same_inertia_from_the_shapes(arm: ArmDescription) -> None:
    """With ``inertiafromgeom`` it ignores the inertia in the file."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    text = urdf_of(arm)
    spec = mujoco.MjSpec.from_string(text)
    for geom in spec.geoms:
        geom.density = DENSITY
    spec.compiler.inertiafromgeom = True
    inferred, written = spec.compile(), mujoco.MjModel.from_xml_string(text)
    for field, least in (
        ('body_mass', 0.0),
        ('body_ipos', 1e-12),
        ('body_inertia', SMALLEST_INERTIA),
    ):
        one, other = getattr(inferred, field), getattr(written, field)
        if field == 'body_inertia':  # the order of the axes is MuJoCo's
            one, other = np.sort(one), np.sort(other)
        np.testing.assert_allclose(one, other, rtol=1e-6, atol=least + 1e-9 * np.abs(one).max())
