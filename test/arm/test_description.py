"""From parameters to the arm; values in degrees and millimetres are reported."""

from __future__ import annotations

import math
import re
import sys
import warnings

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.arm.description import ArmDescription, MotionLimits, arm_from_parameters
from ik2d_ros.arm.fields import JOINT_FIELDS
from ik2d_ros.kinematics import Chain, Ik2dError, Joint, Turntable, UnitWarning, solve
from ik2d_ros.kinematics.arguments import suggest_units
from ik2d_ros.parameters.checks import ConfigError

TWO = {
    'joints': ['shoulder', 'elbow'],
    'chain.shoulder.length': 0.3,
    'chain.shoulder.min_position': -2.6,
    'chain.shoulder.max_position': 2.6,
    'chain.elbow.length': 0.25,
}

lengths, tools = st.floats(0.1, 2.0), st.one_of(st.just(0.0), st.floats(-3.0, 3.0))
finite = st.floats(-1e3, 1e3)


SHOULDER = Joint('shoulder', (0.3, 0.0), -2.6, 2.6)


@given(st.lists(lengths, min_size=1, max_size=4), st.tuples(tools, tools))
def test_the_reach_is_from_the_base_to_the_tip(
    links: list[float], tool: tuple[float, float]
) -> None:
    """The closest and the farthest tip, as the solver finds them, with the tool."""
    chain = Chain(Chain.from_lengths(links).joints, tool)
    reach = ArmDescription(chain, (0.0,) * len(links), (MotionLimits(),) * len(links)).reach
    away = math.hypot(*tool)
    far = tuple(1e3 * part / away for part in tool) if away else (1e3, 0.0)
    assert reach.inner == pytest.approx(solve(chain, (0.0, 0.0)).error, abs=2e-6)
    assert reach.outer == pytest.approx(1e3 - solve(chain, far).error, abs=1e-6)


def test_every_field_is_taken_over() -> None:
    full = {
        'base_frame': 'platform',
        'base.xyz': [1.0, 2.0, 3.0],
        'base.rpy': [0.1, 0.2, 0.3],
        'chain.elbow.length': None,
        'chain.elbow.link': [0.2, -0.1],
        'chain.elbow.min_position': -1.0,
        'chain.elbow.max_position': 0.5,
        'chain.elbow.max_velocity': 2.0,
        'chain.elbow.max_acceleration': 3.0,
        'chain.elbow.max_jerk': 4.0,
        'chain.elbow.offset': 0.7,
        'chain.elbow.axis': -1,
        'chain.elbow.home': -0.25,
    }
    assert arm_from_parameters({**TWO, **full}) == ArmDescription(
        Chain([SHOULDER, Joint('elbow', (0.2, -0.1), -1.0, 0.5, 0.7, -1)]),
        (0.0, -0.25),
        (MotionLimits(), MotionLimits(2.0, 3.0, 4.0)),
        'platform',
        (1.0, 2.0, 3.0),
        (0.1, 0.2, 0.3),
    )


@given(st.tuples(finite, finite).map(sorted))
def test_home_is_0_or_the_limit_nearest_to_it(limits: list[float]) -> None:
    lower, upper = limits
    ends = {'chain.shoulder.min_position': lower, 'chain.shoulder.max_position': upper}
    home = arm_from_parameters({**TWO, **ends}).home[0]
    assert lower <= home <= upper
    assert all(abs(home) <= abs(other) for other in (lower, upper))
    assert home == 0.0 or not lower <= 0.0 <= upper


SLIDE = {
    'chain.elbow.type': 'prismatic',
    'chain.elbow.length': 0.0,
    'chain.elbow.min_position': 0.1,
    'chain.elbow.max_position': 0.5,
}
WAIST = {
    'base.rpy': [math.pi / 2, 0.0, 0.0],
    'base.xyz': [0.02, 0.01, 0.1],
    'turntable.joint': 'waist',
    'turntable.xyz': [0.0, 0.0, 0.05],
    'turntable.axis': [0, 0, -2],
    'turntable.min_position': -2,
    'turntable.max_position': 1.5,
    'turntable.max_velocity': 3.0,
    'turntable.max_acceleration': 4.0,
    'turntable.max_jerk': 5.0,
    'turntable.home': 0.5,
}
QUILL = {
    'lift.joint': 'quill',
    'lift.axis': -1,
    'lift.min_position': 0.01,
    'lift.max_position': 0.2,
    'lift.max_velocity': 0.3,
}


def test_a_turntable_comes_first_with_all_its_fields() -> None:
    turned = arm_from_parameters({**TWO, **WAIST})
    turntable = Turntable((0.0, 0.0, 0.05), (0, 0, -2), -2.0, 1.5, 'waist')
    assert turned.carrier == turned.turntable == turntable
    assert turned.names == ('waist', 'shoulder', 'elbow')
    assert turned.limits == ((-2.0, 1.5), (-2.6, 2.6), (-math.inf, math.inf))
    assert turned.prefixes == ('turntable', 'chain.shoulder', 'chain.elbow')
    assert turned.home == (0.5, 0.0, 0.0)
    assert turned.motion == (MotionLimits(3.0, 4.0, 5.0), MotionLimits(), MotionLimits())
    assert turned.clamped((9.0, 9.0, 9.0)) == (1.5, 2.6, 9.0)


# Refused parameters, and words that the message must contain: the parameter, its value if any, and
# the allowed values.
REFUSED: list[tuple[dict[str, object], list[str]]] = [
    ({'joints': None}, ["'joints' is missing", '[shoulder, elbow]']),
    ({'joints': ['elbow', 'elbow']}, ["'joints'", 'given twice: elbow', 'unique']),
    ({'joints': ['shoulder', 'elbow', 'wrist']}, ["'wrist' has neither", 'wrist.length']),
    ({'chain.elbw.length': 1.0}, ['chain.elbw.length', 'shoulder, elbow', "mean 'elbow'?"]),
    ({'chain.elbow.lenght': 1.0}, ['lenght', ', '.join(JOINT_FIELDS), "mean 'length'?"]),
    ({'chain.elbow': 3}, ["'chain.elbow' is 3", 'chain.<joint>.<field>']),
    ({'chain.elbow.link': [1.0, 0.0]}, ["'elbow' has both", 'elbow.length', 'elbow.link']),
    (
        {'chain.elbow.min_position': -1.0},
        ['chain.elbow.min_position', 'chain.elbow.max_position', 'without upper', 'both'],
    ),
    ({'chain.shoulder.min_position': 2.7}, ['shoulder.min_position', '2.7', 'below', '2.6']),
    ({'chain.shoulder.home': 3.0}, ["'chain.shoulder.home' is 3.0", '-2.6 to 2.6 rad']),
    (
        {'chain.elbow.axis': 2, 'chain.elbow.offset': 0.1},
        ["parameter 'chain.elbow.axis': joint 'elbow': axis is 2", '+1 or -1'],
    ),
    (
        {
            'chain.elbow.absolute': True,
            'chain.elbow.min_bend': 0.1,
            'chain.elbow.max_bend': 1.0,
            'chain.elbow.home': -1.0,
        },
        ["'chain.elbow.home' is -1.0", 'inside the limits', 'such as '],
    ),
    ({'base.xyz': [1.0, 2.0]}, ["'base.xyz' is [1.0, 2.0]", '3 finite', 'in m']),
    (
        {'chain.elbow.type': 'prismatic'},
        ['chain.elbow.min_position', 'chain.elbow.max_position', 'prismatic', 'both, in m'],
    ),
    ({'turntable.xyz': [0.0, 0.0, 0.1]}, ["'turntable.joint' is missing", "'turntable.*'"]),
    ({**WAIST, 'turntable.axis': [0, 1, 0]}, ['turntable.*', 'waist', 'leans', '1.57']),
    ({**WAIST, **QUILL}, ['turntable or a lift, not both']),
]


@pytest.mark.parametrize(('changes', 'words'), REFUSED, ids=str)
def test_a_refusal_names_the_parameter_and_what_is_allowed(
    changes: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(ConfigError) as raised:
        arm_from_parameters({**TWO, **changes})
    assert [word for word in words if word not in str(raised.value)] == []
    assert isinstance(raised.value, Ik2dError)


@pytest.mark.parametrize('name', ['upper', 'axis', 'link', 'joint', 'offset', 'min_bend'])
def test_a_joint_named_like_a_field_is_not_taken_for_it(name: str) -> None:
    fields = {'length': 0.3, 'axis': 1, 'offset': 0.2, 'min_position': 1.0, 'max_position': 0.5}
    with pytest.raises(ConfigError, match=r"^parameters? '(.*)': joint") as raised:
        arm_from_parameters({'joints': [name], **{f'chain.{name}.{f}': fields[f] for f in fields}})
    ends = [f"'chain.{name}.{end}'" for end in ('min_position', 'max_position')]
    assert str(raised.value).split(': ')[0] == f'parameters {", ".join(ends)}'


@pytest.mark.parametrize(
    ('name', 'value', 'words'),
    [
        ('chain.shoulder.max_position', 90.0, '90 rad: degrees? It would be 1.571 rad'),
        ('chain.shoulder.max_velocity', 180.0, '180 rad/s: degrees per second? It would be 3.142'),
        ('chain.shoulder.max_velocity', 49.0, ''),
        ('chain.shoulder.length', 300.0, '300 m: millimetres? It would be 0.3 m'),
    ],
)
def test_a_value_in_another_unit_is_reported_with_its_conversion(
    name: str, value: float, words: str
) -> None:
    texts = [*suggest_units(arm_from_parameters({**TWO, **SLIDE, name: value}).quantities)]
    assert len(texts) == bool(words)
    assert all(text.startswith(f"parameter '{name}' is {words}") for text in texts)


angles = st.floats(7.0, 800.0).flatmap(lambda size: st.sampled_from([size, -size]))
LIBRARY = {
    'lower limit': lambda angle: Joint('a', (0.3, 0.0), -abs(angle), 1.0),
    'upper limit': lambda angle: Turntable(lower=0.0, upper=abs(angle)),
    'start': lambda angle: solve(
        Chain.from_lengths([0.3] * 2, [(-1.0, 1.0)] * 2), (0.3, 0.2), start=[0.0, angle]
    ),
    'link': lambda angle: Chain.from_lengths([abs(angle) + 50.0]),
}


@pytest.mark.parametrize('what', LIBRARY)
@given(angle=angles)
def test_the_library_warns_of_values_in_another_unit(what: str, angle: float) -> None:
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter('default')
        for size in (1.0, 1.1, 1.2):
            LIBRARY[what](size * angle)
    (text,) = [str(warning.message) for warning in told]  # Python tells a text once for a line
    assert re.search(rf'{what} is beyond .* (rad|m): (degrees|millimetres)\?$', text)
    assert all(warning.category is UnitWarning for warning in told)
    if sys.version_info >= (3, 12):
        assert told[0].filename == __file__
