"""Accepted values never overflow, however large or small; larger ones are refused."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.fields import LARGEST_MOTION
from ik2d_ros.kinematics.arguments import LARGEST_ANGLE, LARGEST_LENGTH
from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.pilot.answer import Going, Situation
from ik2d_ros.pilot.parameters import configuration_from_parameters
from ik2d_ros.pilot.plan import plan_target
from ik2d_ros.pilot.request import Point

angles = st.one_of(
    st.sampled_from([0.0, -0.0, 5e-324, 1e-9, math.pi, LARGEST_ANGLE, -LARGEST_ANGLE]),
    st.floats(-LARGEST_ANGLE, LARGEST_ANGLE),
)
lengths = st.one_of(
    st.sampled_from([0.0, 5e-324, 1e-300, 1e-9, 0.3, LARGEST_LENGTH]),
    st.floats(0.0, LARGEST_LENGTH),
)
coordinates = st.one_of(
    st.sampled_from([0.0, 5e-324, 0.3, LARGEST_LENGTH, 1e150, -1e308]), st.floats(-1e7, 1e7)
)
places = st.lists(coordinates.filter(lambda x: abs(x) <= LARGEST_LENGTH), min_size=3, max_size=3)
bounds = {'length': LARGEST_LENGTH, **dict.fromkeys(('offset', 'home'), LARGEST_ANGLE)}
bounds |= LARGEST_MOTION


@given(data=st.data(), place=st.tuples(coordinates, coordinates, coordinates))
def test_accepted_values_give_finite_poses_within_the_limits(
    data: st.DataObject, place: tuple[float, float, float]
) -> None:
    draw = data.draw
    names = ['a', 'b', 'c'][: draw(st.integers(1, 3))]
    parameters: dict[str, object] = {'joints': names, 'base.xyz': draw(places)}
    for chain in (f'chain.{name}' for name in names):
        lower, upper = sorted([draw(angles), draw(angles)])
        limits = {f'{chain}.min_position': lower, f'{chain}.max_position': upper}
        parameters |= draw(st.sampled_from([limits, {f'{chain}.home': upper}]))
        parameters |= {f'{chain}.length': draw(lengths), f'{chain}.offset': draw(angles)}
        parameters[f'{chain}.axis'] = draw(st.sampled_from([1, -1]))
    carrier = draw(st.sampled_from(['', 'lift', 'turntable']))
    parameters['base.rpy'] = [draw(angles) for _ in range(3)]
    if carrier:
        parameters[f'{carrier}.joint'] = 'carrier'
    if carrier == 'turntable':  # its axis is parallel to the plane
        turn = draw(st.floats(-math.pi, math.pi))
        parameters['base.rpy'] = [0.0, 0.0, draw(angles)]
        parameters['turntable.axis'] = [math.cos(turn), math.sin(turn), 0.0]
        parameters |= {'turntable.xyz': draw(places), 'turntable.min_position': -1.0}
        parameters['turntable.max_position'] = 2.0
    parameters['solver'] = draw(st.sampled_from(['auto', 'ccd', 'hybrid']))
    parameters['tolerance'] = draw(st.sampled_from([5e-324, 1e-300, 1e-6, 1.0, 1e308]))
    parameters['target_timeout'] = draw(st.sampled_from([0.0, 5e-324, 1e308]))
    parameters['plane_tolerance'] = draw(st.sampled_from([0.0, 1e308, math.inf]))
    configuration = configuration_from_parameters(parameters)
    arm = configuration.arm
    result = plan_target(Point(place), Situation(arm.home, age=1.0), configuration)
    if isinstance(result, Going):
        assert all(map(math.isfinite, result.positions))
        assert result.positions == arm.clamped(result.positions)
    field, beyond = draw(st.sampled_from([*bounds])), draw(st.floats(1.001, 1e300))
    too_large = {f'chain.a.{field}': draw(st.sampled_from([1, -1])) * beyond * bounds[field]}
    with pytest.raises(ConfigError, match=f"'chain.a.{field}'.* {bounds[field]:.0f}"):
        configuration_from_parameters({**parameters, **too_large})
