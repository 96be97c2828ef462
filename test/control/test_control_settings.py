"""How the arm is driven: what is accepted, and what is refused with what words."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given as sampled
from hypothesis import strategies as st

from ik2d_ros.control.settings import ARRAY, ControlSettings, control_settings
from ik2d_ros.parameters.checks import ConfigError

ARM = ('shoulder', 'elbow')
ALL = ['shoulder', 'gripper', 'elbow']
positions = st.floats(-4.0, 4.0)


def control(**parameters: object) -> ControlSettings:
    dotted = {name.replace('__', '.'): value for name, value in parameters.items()}
    return control_settings(dotted, ARM)


def test_other_joints_are_held_at_a_position_or_where_they_are_measured() -> None:
    """Without measurements that is 0, as the arm is at home."""
    (measured,) = control(command_joints=ALL, use_measured_state=True).holds.items()
    assert str(measured) == "('gripper', nan)"
    told = control(command_joints=ALL, hold__gripper=1)
    assert dict(told.holds) == {'gripper': 1.0}
    dotted = control(command_joints=[*ARM, 'left.finger'], **{'hold.left.finger': 0.5})
    assert dict(dotted.holds) == {'left.finger': 0.5}
    assert dict(control(command_joints=ALL).holds) == {'gripper': 0.0}


@sampled(
    st.tuples(positions, positions).map(sorted),
    st.one_of(positions, st.just(math.nan)),
    st.booleans(),
)
def test_a_held_position_is_within_its_limits(
    ends: list[float], asked: float, measured: bool
) -> None:
    """One that is not known counts as 0, or the limit nearest to it, until it is measured."""
    given = {'command_joints': ALL, 'hold.gripper': asked, 'hold_limits.gripper': ends}
    if not math.isnan(asked) and not ends[0] <= asked <= ends[1]:
        with pytest.raises(ConfigError, match=rf"'hold.gripper' is {asked!r}; .*limits.gripper"):
            control(use_measured_state=measured, **given)
        return
    held = control(use_measured_state=measured, **given).holds['gripper']
    unknown = math.nan if measured else float(np.clip(0.0, *ends))
    assert held == pytest.approx(unknown if math.isnan(asked) else asked, nan_ok=True, abs=0.0)


REFUSED: list[tuple[dict[str, object], list[str]]] = [
    ({'command_joints': ['shoulder']}, ['command_joints', "['shoulder']", 'missing: elbow']),
    ({'command_joints': [*ARM, 'elbow']}, ['command_joints', 'given twice: elbow']),
    ({'command_joints': 'shoulder'}, ['command_joints', "'shoulder'", 'a list']),
    (
        {'command_joints': ALL, 'command_out_type': ARRAY},
        ["'hold.gripper' is nan", 'finite', 'use_measured_state'],
    ),
    ({'command_joints': ALL, 'hold.gripper': math.inf}, ["'hold.gripper' is inf", 'NaN']),
    ({'command_joints': ALL, 'hold.griper': 1.0}, ["'hold.griper' is 1.0", "mean 'gripper'?"]),
    ({'command_joints': ALL, 'hold.elbow': 1.0}, ["'hold.elbow' is 1.0", 'a joint of gripper']),
    ({'hold_limits.gripper': [1.0, 0.5]}, ["'hold_limits.gripper' is [1.0, 0.5]", '[smallest']),
    ({'assumes.elbow': 0.0}, ["'assumes.elbow' is 0.0", "is not the arm's"]),
    ({'hold.gripper': 1.0}, ["'hold.gripper' is 1.0", 'there are none']),
]


@pytest.mark.parametrize(('parameters', 'words'), REFUSED)
def test_a_refusal_names_the_parameter_and_the_allowed_values(
    parameters: dict[str, object], words: list[str]
) -> None:
    with pytest.raises(ConfigError) as raised:
        control(**parameters)
    assert all(word in str(raised.value) for word in words)
