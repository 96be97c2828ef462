"""The measured positions of the joints, out of messages of any form; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from types import MappingProxyType

from ik2d_ros.kinematics.bounds import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed
from ik2d_ros.parameters.wording import printable

TIMEOUT = 0.5
"""For how long in s a joint may be silent before its position counts as unknown."""

GRACE = 1.0
"""For how long in s, after the start, the first measurement is not yet missed.

It may take the middleware that long until a driver and the node know each other.
"""

LONGEST_TICK = 0.2
"""How much in s one look at the clock adds to a silence at most.

If this process stood still, messages may wait to be received; that is not the joint's silence.
"""


class Measurements:
    """The measured positions of a set of joints.

    A driver may publish the joints in any order, in several messages, and with foreign ones among
    them; each message updates the joints that it names. What cannot be used is ignored.

    Attributes:
        positions: rad, by joint, as far as they were measured.
        first: the first of them.
    """

    def __init__(self, joints: Iterable[str], others: Iterable[str] = ()) -> None:
        """Start with nothing measured.

        Args:
            joints: names of the arm's joints.
            others: names of joints whose first position may count.
        """
        self._joints, self._others = tuple(joints), tuple(others)
        self._positions: dict[str, float] = {}
        self._first: dict[str, float] = {}
        self._silence = dict.fromkeys((*self._joints, *self._others), math.inf)  # s
        self._age = 0.0  # s
        self._times: tuple[float, float] | None = None
        self._said: set[str] = set()
        self.positions: Mapping[str, float] = MappingProxyType(self._positions)
        self.first: Mapping[str, float] = MappingProxyType(self._first)

    def hear(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Take over what a message says.

        Args:
            names: names of the joints.
            positions: rad, by the names.

        Returns:
            What is wrong with the message, as far as it was not yet said.
        """
        problems = dict(_problems(self._silence, names, positions))
        heard: set[str] = set()
        for name, position in zip(names, positions, strict=False):
            if name not in self._silence or name in heard or not _is_usable(position):
                continue
            heard.add(name)
            self._positions[name] = position
            self._first.setdefault(name, position)
            self._silence[name] = 0.0
        new = [problems[kind] for kind in problems if kind not in self._said]
        self._said.update(problems)
        return new

    def pass_time(self, clock_time: float, wall_time: float) -> None:
        """Let time pass, to the present.

        It passes as fast as the slower of both clocks: nothing is measured while a simulation is
        paused, and one that is fast may be too fast for this process.

        Args:
            clock_time: time of the node's clock in s, which may jump and stand still.
            wall_time: time of a steady clock in s.
        """
        before, self._times = self._times, (clock_time, wall_time)
        waited = wall_time - before[1] if before else 0.0
        passed = min(clock_time - before[0], waited) if before else 0.0
        self._age += min(max(waited, 0.0), LONGEST_TICK)
        passed = min(max(passed, 0.0), LONGEST_TICK)
        for name in self._silence:
            self._silence[name] += passed

    @property
    def are_new(self) -> bool:
        """Whether this process listens for so short a time that nothing is missed yet."""
        return self._age < GRACE

    def fault(self, once: Iterable[str] = ()) -> str:
        """Return why the pose is not known; empty if it is.

        Args:
            once: names of the other joints that must have been measured once.
        """
        missing = [name for name in (*self._joints, *once) if name not in self._positions]
        if missing:
            return f'no position of {listed(missing)} was received'
        silent = [name for name in self._joints if self._silence[name] > TIMEOUT]
        if silent:
            return f'for more than {TIMEOUT:g} s, no position of {listed(silent)} was received'
        return ''


def _is_usable(position: float) -> bool:
    return abs(position) <= LARGEST_POSITION  # False for NaN


def _problems(
    joints: Container[str], names: Sequence[str], positions: Sequence[float]
) -> Iterator[tuple[str, str]]:
    """Return what is wrong with a message: the kind of problem, and a sentence."""
    if len(positions) != len(names):
        yield (
            'sizes',
            (
                f'a message has {len(names)} names, but {len(positions)} positions; those without '
                'a partner are ignored'
            ),
        )
    pairs = [pair for pair in zip(names, positions, strict=False) if pair[0] in joints]
    seen: set[str] = set()
    for name, position in pairs:
        if name in seen:
            yield (
                f'twice {name}',
                (
                    f"a message names joint '{printable(name)}' more than once; the first usable "
                    'position counts'
                ),
            )
        seen.add(name)
        if not _is_usable(position):
            yield (
                f'value {name}',
                (
                    f"the position of joint '{printable(name)}' is {position}; it must be a finite "
                    f'number from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} and is ignored'
                ),
            )
