"""Messages ask the user of parameters for parameters, by names that answer the question."""

from __future__ import annotations

import re
from collections.abc import Sequence

import pytest
from descriptions import ARM, LIMIT, fixed, imported, joint, robot
from hypothesis import given
from hypothesis import strategies as st

from ik2d_ros.parameters.checks import ConfigError
from ik2d_ros.robot.described import with_description

ZERO = '<limit lower="0" upper="0" effort="1" velocity="1"/>'
SWAPPED = '<limit lower="1" upper="-1" effort="1" velocity="1"/>'
SLOW = '<limit lower="-1" upper="1" effort="1" velocity="0"/>'
SOFT = '<safety_controller k_velocity="1" soft_lower_limit="-1" soft_upper_limit="1"/>'
TOOL = fixed('hand', 'tool', (0.2, 0.0, 0.1))
BRANCH = joint('other', 'upper', 'b', xyz=(0.1, 0, 0)), fixed('b', 'camera', (1, 0, 0))


def with_pan(limit: str = LIMIT, more: str = '') -> str:
    """An arm on a turntable."""
    pan = joint('pan', 'base', 'body', axis='0 0 1', limit=limit, more=more)
    return robot(pan, joint('shoulder', 'body', 'upper', xyz=(0.1, 0, 0)), *ARM[1:])


def with_wrist(kind: str = 'revolute', axis: str = '0 1 0', limit: str = '', more: str = '') -> str:
    """A plain arm with a third joint before the tool."""
    wrist = joint('wrist', 'fore', 'hand', kind, (0.2, 0, 0), (0, 0, 0), axis, limit, more)
    return robot(*ARM[:2], wrist, TOOL)


def told(text: str, **more: object) -> str:
    """What the user of the parameters is told, all of it."""
    try:
        _, remarks = with_description({'robot_description': text, **more})
    except ConfigError as error:
        return str(error)
    return '\n'.join(remark.text for remark in remarks)


@pytest.mark.parametrize(
    ('text', 'more', 'words'),
    [
        (with_pan(''), {}, 'give turntable.min_position and turntable.max_position in rad'),
        (
            with_pan(SWAPPED),
            {},
            ', such as turntable.min_position: -1 and turntable.max_position: 1',
        ),
        (
            with_pan(more=SOFT),
            {},
            'to have them: turntable.min_position: -1 and turntable.max_position: 1',
        ),
        (with_pan(SLOW), {}, 'give turntable.max_velocity'),
        (with_wrist('prismatic'), {}, 'give lift.min_position and lift.max_position in m'),
        (with_wrist('prismatic', limit=SLOW), {}, 'give lift.max_velocity'),
        (with_wrist(), {}, 'give chain.wrist.min_position and chain.wrist.max_position in rad'),
        (with_wrist(limit=ZERO), {}, 'or hold it: hold.wrist: 0'),
        (with_wrist(limit=SLOW), {}, 'give chain.wrist.max_velocity'),
        (with_wrist(axis='0 1 0.1'), {}, '(or hold it: hold.wrist: 0)'),
        (with_wrist('prismatic', '1 0 0'), {}, 'give chain.wrist.min_position and chain.wrist.max'),
        (with_wrist('prismatic', '1 1 0'), {}, '(or hold it: hold.wrist: POSITION)'),
        (with_wrist(more='<mimic joint="elbow"/>'), {}, 'tip before it: tip_frame: fore'),
        (robot(*ARM, *BRANCH), {}, 'choose with tip_frame: tool'),
        (robot(*ARM[:2]), {'tip_frame': 'fore'}, 'give another tip_frame or hold it: hold.elbow: '),
        (robot(*ARM), {'tip_frame': 'tol'}, "tip_frame: there is no link 'tol'"),
        (robot(*ARM), {'base_frame': 'bse'}, "base_frame: there is no link 'bse'"),
        (robot(*ARM), {'joints': ['elbo'], 'tip_frame': 'tool'}, "joints: no joint 'elbo'"),
        (
            robot(*ARM),
            {'joints': ['elbow', 'shoulder'], 'tip_frame': 'tool'},
            'joints is elbow, shoulder; it must be',
        ),
        (robot(*ARM), {'joints': ['elbow'], 'tip_frame': 'tool'}, 'it is not one of joints'),
    ],
)
def test_users_of_parameters_are_asked_for_parameters(
    text: str, more: dict[str, object], words: str
) -> None:
    assert words in told(text, **more)
    assert '--' not in told(text, **more)


def test_users_of_the_command_are_asked_for_its_options() -> None:
    with pytest.raises(ConfigError, match=r"'pan' has no limits.*--limits pan=LOWER,UPPER in rad"):
        imported(with_pan(''))


@st.composite
def odd_robots(draw: st.DrawFn) -> str:
    """Chains of a few joints of any kind, many of which are no arm."""
    joints: list[str] = []
    for i in range(draw(st.integers(1, 5))):
        mimic = [f'<mimic joint="j{draw(st.integers(0, i - 1))}"/>'] if i else []
        joints.append(
            joint(
                f'j{i}',
                f'l{i}',
                f'l{i + 1}',
                draw(st.sampled_from(['revolute'] * 3 + ['continuous', 'prismatic', 'floating'])),
                (0.2, 0.0, 0.1),
                axis=draw(st.sampled_from(['0 1 0'] * 3 + ['0 0 1', '1 0 0', '0 1 0.1', '1 1 0'])),
                limit=draw(st.sampled_from([LIMIT, LIMIT, '', ZERO, SWAPPED, SLOW])),
                more=draw(st.sampled_from(['', '', SOFT, *mimic])),
            )
        )
    end = f'l{len(joints)}'
    ends = fixed(end, 'tool', (0.2, 0.0, 0.1)), fixed(end, 'camera', (0.1, 0.0, 0.2))
    joints += ends[: draw(st.integers(0, 2))]
    return robot(*joints)


def answers(words: str) -> dict[str, object]:
    """The parameters that a message asks for, with some value each."""
    names: Sequence[str] = re.findall(r'(?:chain\.j\d|turntable|lift)\.m\w+_\w+', words)
    found: dict[str, object] = {name: -0.5 if '.min' in name else 0.5 for name in names}
    if not found:
        found |= dict.fromkeys(re.findall(r'hold\.j\d', words), 0.1)
    return found


@given(odd_robots())
def test_what_a_message_asks_for_answers_it(text: str) -> None:
    more: dict[str, object] = {}
    for _ in range(12):
        words = told(text, **more)
        assert '--' not in words
        asked = answers(words) if words.startswith("parameter 'robot_description'") else {}
        if not asked:
            return
        assert not asked.keys() <= more.keys(), words
        more |= asked
    raise AssertionError(more)
