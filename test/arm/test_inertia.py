"""The masses in the robot description: what physics engines make of the file as it is."""

from __future__ import annotations

import math
import sys
import xml.etree.ElementTree as ET
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from arms import chains
from carried import carried
from harness import ROOT
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros import cli
from ik2d_ros.arm.description import ArmDescription, MotionLimits, load_arm
from ik2d_ros.arm.inertia import SMALLEST_INERTIA
from ik2d_ros.arm.proportions import link_width
from ik2d_ros.arm.urdf import DENSITY, density_for, urdf_of
from ik2d_ros.kinematics import Chain, Joint

CONFIG = ROOT / 'config'

places = st.tuples(*[st.floats(-2.0, 2.0)] * 3)
turns = st.tuples(*[st.floats(-math.pi, math.pi)] * 3)
densities = st.floats(1.0, 20_000.0)
poses = st.lists(st.floats(-math.pi, math.pi), min_size=7, max_size=7)


def has_normal_limits(chain: Chain) -> bool:
    """Whether MuJoCo can read the limits: it refuses numbers too small for full precision."""
    ends = [end for joint in chain.joints for end in (joint.lower, joint.upper) if end]
    return all(abs(end) >= sys.float_info.min for end in ends)


@st.composite
def arms(draw: st.DrawFn) -> ArmDescription:
    chain = draw(chains().filter(has_normal_limits))
    arm = ArmDescription(
        chain=chain,
        home=chain.middle,
        motion=(MotionLimits(),) * len(chain),
        base_xyz=draw(places),
        base_rpy=draw(turns),
    )
    return draw(carried(arm))


def volume(solid: ET.Element) -> float:
    """The volume in m^3 of a geometry's solid, by the formulas of school."""
    if solid.tag == 'box':
        return math.prod(map(float, solid.get('size', '').split()))
    radius = float(solid.get('radius', 'nan'))
    if solid.tag == 'sphere':
        return 4.0 / 3.0 * math.pi * radius**3
    return math.pi * radius**2 * float(solid.get('length', 'nan'))


def links(text: str) -> Iterator[ET.Element]:
    """The links that have anything to them."""
    yield from (link for link in ET.fromstring(text).findall('link') if len(link))


def mass_of(link: ET.Element) -> float:
    mass = link.find('inertial/mass')
    assert mass is not None
    return float(mass.get('value', 'nan'))


def moving_masses(arm: ArmDescription, text: str) -> list[float]:
    masses = [mass_of(link) for link in links(text)]
    return masses if arm.turntable else masses[1:]  # the foot stands, but on a turntable


@given(arms(), densities)
def test_a_link_weighs_its_volume_times_the_density(arm: ArmDescription, density: float) -> None:
    for link in links(urdf_of(arm, density=density)):
        volumes = [volume(solid) for solid in link.findall('collision/geometry/*')]
        assert mass_of(link) == pytest.approx(density * sum(volumes), rel=1e-9)


@given(arms())
def test_what_is_seen_is_what_is_bumped_into(arm: ArmDescription) -> None:
    for link in links(urdf_of(arm)):
        seen, solid = (
            [
                (part.tag, part.attrib)
                for shape in link.findall(kind)
                for part in (*shape.findall('origin'), *shape.findall('geometry/*'))
            ]
            for kind in ('visual', 'collision')
        )
        assert seen == solid


@given(arms(), densities)
def test_every_inertia_is_one_that_a_body_can_have(arm: ArmDescription, density: float) -> None:
    for link in links(urdf_of(arm, density=density)):
        inertia = link.find('inertial/inertia')
        assert inertia is not None
        xx, xy, xz, yy, yz, zz = (
            float(inertia.get(name, 'nan')) for name in ('ixx', 'ixy', 'ixz', 'iyy', 'iyz', 'izz')
        )
        small, middle, large = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
        assert small > 0.0
        assert small + middle >= large * (1.0 - 1e-9)


def test_an_arm_too_small_to_have_a_volume_has_an_inertia_all_the_same() -> None:
    joints = [Joint('a', (0.0, 0.0)), Joint('b', (0.0, 2e-251))]
    arm = ArmDescription(Chain(joints), (0.0, 0.0), (MotionLimits(),) * 2)
    with np.errstate(all='raise', under='ignore'):
        text = urdf_of(arm)
    numbers = [
        float(number)
        for inertial in ET.fromstring(text).iter('inertial')
        for part in inertial
        for value in part.attrib.values()
        for number in value.split()
    ]
    assert numbers
    assert all(map(math.isfinite, numbers))


def model_of(text: str) -> tuple[Any, Any]:
    """The file in MuJoCo, and the state at its zero pose."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    model = mujoco.MjModel.from_xml_string(text)
    return model, mujoco.MjData(model)


def points(arm: ArmDescription, q: np.ndarray) -> np.ndarray:
    """(n + 1, 3) places of the joints and the tip in the base frame, by the chain."""
    plane, flat = arm.plane_at(q.tolist()), arm.in_plane(q.tolist())
    return np.array([plane.point(x, y) for x, y in arm.chain.forward(flat).tolist()])


@given(arms(), poses)
def test_in_mujoco_the_joints_are_where_the_chain_has_them(
    arm: ArmDescription, positions: list[float]
) -> None:
    q = np.array(positions[: len(arm.names)])
    model, data = model_of(urdf_of(arm))
    import mujoco

    assert [model.joint(index).name for index in range(model.njnt)] == [*arm.names]
    data.qpos[:] = q
    mujoco.mj_kinematics(model, data)
    last = data.body(model.body(model.joint(model.njnt - 1).bodyid[0]).name)
    tip = last.xpos + last.xmat.reshape(3, 3) @ [*arm.chain.joints[-1].link, 0.0]
    scale = 10.0 + arm.chain.reach.outer
    anchors = data.xanchor[-len(arm.chain) :]
    assert np.abs([*anchors, tip] - points(arm, q)).max() <= 1e-9 * scale


@given(arms().filter(lambda arm: arm.chain.reach.outer > 0.05), st.floats(100.0, 20_000.0))
def test_mujoco_weighs_the_shapes_alike(arm: ArmDescription, density: float) -> None:
    """It can infer inertia from shapes by itself, and then takes no notice of what is written."""
    mujoco = pytest.importorskip('mujoco', reason='mujoco is not installed')
    text = urdf_of(arm, density=density)
    spec = mujoco.MjSpec.from_string(text)
    for geom in spec.geoms:
        geom.density = density
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


@given(arms())
def test_no_link_touches_its_neighbour_or_the_foot_in_mujoco(arm: ArmDescription) -> None:
    """Else friction would hold the arm; drums that are closer than they are wide overlap."""
    drum = 1.5 * link_width(arm.chain)
    # The post of a turntable stands in the plane, where a second link may fold onto it.
    most = 1 if arm.turntable is not None else 2
    if min(arm.chain.lengths) <= drum or len(arm.chain) > most:
        return
    model, data = model_of(urdf_of(arm))
    import mujoco

    mujoco.mj_forward(model, data)
    assert data.ncon == 0


@given(arms(), poses)
def test_in_pinocchio_the_tip_and_the_mass_are_the_same(
    arm: ArmDescription, positions: list[float]
) -> None:
    pinocchio = pytest.importorskip('pinocchio', reason='pinocchio is not installed')
    q = np.array(positions[: len(arm.names)])
    text = urdf_of(arm)
    model = pinocchio.buildModelFromXML(text)
    data = model.createData()
    configuration = np.concatenate(
        [
            # It holds the angle of a continuous joint as cosine and sine.
            [math.cos(angle), math.sin(angle)] if lower == -math.inf and unit == 'rad' else [angle]
            for (lower, _), unit, angle in zip(arm.limits, arm.units, q, strict=True)
        ]
    )
    pinocchio.framesForwardKinematics(model, data, configuration)
    tip = data.oMf[model.getFrameId('tip')].translation
    assert np.abs(tip - points(arm, q)[-1]).max() <= 1e-9 * (10.0 + arm.chain.reach.outer)
    moving = moving_masses(arm, text)
    total = sum(body.mass for body in list(model.inertias)[1:])
    assert total == pytest.approx(sum(moving), rel=1e-9)


@given(arms(), st.floats(0.01, 1000.0))
def test_a_mass_is_that_of_all_moving_links(arm: ArmDescription, mass: float) -> None:
    density = density_for(arm, mass)
    moving = moving_masses(arm, urdf_of(arm, density=density))
    assert sum(moving) == pytest.approx(mass, rel=1e-6)


@pytest.mark.parametrize('length', [0.0, 1e-6, 1e-3, 1e6])
def test_arms_of_every_size_load(length: float) -> None:
    chain = Chain([Joint('a', (length, 0.0)), Joint('b', (0.0, 0.0)), Joint('c', (length, 0.0))])
    arm = ArmDescription(chain, (0.0,) * 3, (MotionLimits(),) * 3)
    model, _ = model_of(urdf_of(arm))
    assert model.njnt == 3


def test_a_payload_is_at_the_tip() -> None:
    arm = load_arm(CONFIG / 'two_bone.yaml')
    empty, loaded = (
        [mass_of(link) for link in links(urdf_of(arm, payload=kilograms))]
        for kilograms in (0.0, 2.0)
    )
    assert loaded == [*empty[:-1], empty[-1] + 2.0]


def test_the_command_takes_a_density_or_a_mass(capsys: pytest.CaptureFixture[str]) -> None:
    arm = load_arm(CONFIG / 'two_bone.yaml')
    for options, density in (
        ([], DENSITY),
        (['--density', '2700'], 2700.0),
        (['--mass', '1.5'], density_for(arm, 1.5)),
    ):
        assert cli.main(['urdf', 'two_bone', *options]) == 0
        assert capsys.readouterr().out == urdf_of(arm, density=density)


@pytest.mark.parametrize('option', ['--density', '--mass'])
@pytest.mark.parametrize('value', ['0', '-1', 'nan', 'inf', '1e300', 'heavy'])
def test_the_command_refuses_what_is_no_weight(
    option: str, value: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        cli.main(['urdf', 'two_bone', option, value])
    said = capsys.readouterr().err
    assert option in said
    assert value in said
    assert '> 0' in said
