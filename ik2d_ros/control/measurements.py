"""The measured positions of joints, read from messages of any form; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from types import MappingProxyType

from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed

TIMEOUT = 0.5
"""For how long in s a joint may be silent before its position counts as unknown."""

GRACE = 2.0
"""For how long in s, after the start, the first measurement is not yet missed.

A driver may start a little later, and the middleware needs a while until both know each other.
"""

LONGEST_TICK = 0.2
"""The most in s that a silence grows per call.

After a pause of this process, messages may still wait to be received.
"""

MARGINS = MappingProxyType({'rad': 0.1, 'm': 0.02})
"""How far a joint may stand beyond its limits, and how large noise may be, by unit."""

FIRST_AGREEMENT, AGREEMENT = 0.1, 0.5
"""How long in s measurements must agree to be believed: the first ones, and others."""

DROPPING = 0.1
"""For how long in s measurements may contradict the last believed one before that is a fault."""

AVERAGING = 0.1
"""Over how long in s measurements are averaged."""

TREND = 8
"""How many measurements in a row on one side of their average are a move, not noise."""


@dataclass(frozen=True)
class Sensor:
    """The plausible measurements of a joint.

    Attributes:
        name: the joint's name.
        lower, upper: position limits; infinite for none.
        speed: the most that it moves per s; infinite if it is not known.
        unit: of its position, rad or m.
        reach: the factor of tolerances: 1, or the reach in m for a joint that slides.
    """

    name: str
    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    unit: str = 'rad'
    reach: float = 1.0

    @property
    def turns(self) -> bool:
        """Whether its position may come wrapped into one turn."""
        return self.unit == 'rad' and self.lower == -math.inf

    @property
    def margin(self) -> float:
        """How far it may stand beyond its limits, and how large noise may be."""
        return MARGINS[self.unit]

    def can_be_at(self, position: float) -> bool:
        """Return whether a position is within the limits, or near enough."""
        return self.lower - self.margin <= position <= self.upper + self.margin

    def can_go(self, before: float, after: float, span: float, setpoint: float = math.nan) -> bool:
        """Return whether it can have moved from one position to another.

        Args:
            before: the position.
            after: the other one.
            span: the time in s.
            setpoint: where it is commanded to be, which it may reach in no time; NaN for nowhere.
        """
        most = self.margin + self.speed * span
        least, largest = min(before, setpoint), max(before, setpoint)  # before, for NaN
        return least - most <= after <= largest + most


class _Track:
    """The measurements of a joint.

    Attributes:
        sensor: the plausible ones.
        position: the last believed one; NaN for none.
        believed_at: its time in s.
        doubted: the last one that was dropped.
        doubted_at: its time in s.
        fault: why the position is not where the joint can be; empty for nothing.
    """

    def __init__(self, sensor: Sensor) -> None:
        self.sensor = sensor
        self.position = self.doubted = self._average = math.nan
        self.believed_at = self.doubted_at = -math.inf
        self.fault = ''
        self._trend = 0  # how many believed ones in a row were above their average, or below
        self._agreed_since = self._dropped_since = -math.inf  # those that were dropped

    @property
    def is_doubted(self) -> bool:
        """Whether the last measurement was dropped."""
        return self.doubted_at > self.believed_at

    @property
    def average(self) -> float:
        """The average of the believed ones; the last one of a joint that moves."""
        is_still = abs(self._average - self.position) <= self.sensor.margin
        return self._average if is_still and self._trend < TREND else self.position

    def hear(self, position: float, setpoint: float, now: float) -> None:
        """Believe a position, or drop it until others agree."""
        sensor, before, is_first = self.sensor, self.position, math.isnan(self.position)
        if sensor.turns and not is_first:
            position += math.tau * round((before - position) / math.tau)
        silence, gap = now - self.believed_at, now - self.doubted_at
        is_nearer = abs(position - before) <= abs(position - self.doubted) + 2.0 * sensor.margin
        if (
            (not self.is_doubted or (is_nearer and not self.fault))
            and silence <= TIMEOUT
            and sensor.can_be_at(position)
            and sensor.can_go(before, position, silence, setpoint)
        ):
            self._believe(position, now)
            return
        if gap > TIMEOUT or not self.is_doubted:
            self._dropped_since = self._agreed_since = now
        elif not sensor.can_go(self.doubted, position, gap):
            self._agreed_since = now
        self.doubted, self.doubted_at = position, now
        if now - self._agreed_since >= (FIRST_AGREEMENT if is_first else AGREEMENT):
            self._believe(position, now)
        elif not self.fault and now - self._dropped_since >= DROPPING and silence <= TIMEOUT:
            self.fault = self._outside(position) or (
                f'{self._about(position)}, where it cannot have come from {before:.4g} '
                f'{sensor.unit}; it is believed once its positions agree for {AGREEMENT:g} s'
            )

    def _believe(self, position: float, now: float) -> None:
        """Take over a position; the average restarts if two in a row are further off than noise."""
        sensor, average = self.sensor, self._average
        if min(abs(q - average) for q in (position, self.position)) <= sensor.margin:  # not if NaN
            share, off = min((now - self.believed_at) / AVERAGING, 1.0), position - average
            self._trend = self._trend + 1 if off * (self.position - average) > 0.0 else 0
            self._average += share * off
        else:
            self._average = position
        self.position, self.believed_at, self.fault = position, now, self._outside(position)

    def _about(self, position: float) -> str:
        return f"joint '{self.sensor.name}' is measured at {position:.4g} {self.sensor.unit}"

    def _outside(self, position: float) -> str:
        least, most, unit = self.sensor.lower, self.sensor.upper, self.sensor.unit
        if self.sensor.can_be_at(position):
            return ''
        limits = f'its limits of {least:.4g} to {most:.4g} {unit}'
        return f'{self._about(position)}, more than {self.sensor.margin:g} {unit} outside {limits}'


class Measurements:
    """The measured positions of a set of joints.

    A driver may publish the joints in any order, in several messages, and together with other
    joints; each message updates the joints that it names. Unusable positions are ignored.

    A position is believed if it is within the limits and no further from the last believed one than
    the joint could have gone. Any other is dropped, and so are those that follow and are nearer to
    it, until they have agreed for a while.

    Attributes:
        setpoints: (k,) where the joints are commanded to be; empty if they are not commanded.
    """

    def __init__(self, sensors: Sequence[Sensor]) -> None:
        """Start with nothing measured.

        Args:
            sensors: the plausible measurements of each joint.
        """
        self.setpoints: Sequence[float] = ()
        self._tracks = [_Track(sensor) for sensor in sensors]
        self._now = self._age = 0.0  # s that passed for the measurements, and since the start
        self._times: tuple[float, float] | None = None
        self._said: set[str] = set()

    @property
    def positions(self) -> tuple[float, ...]:
        """(k,) last believed positions, in the order of the joints; NaN for none."""
        return tuple(track.position for track in self._tracks)

    @property
    def were_known(self) -> bool:
        """Whether all of them were ever believed."""
        return not any(map(math.isnan, self.positions))

    @property
    def averages(self) -> tuple[float, ...]:
        """(k,) averages of the last positions; the last one of a joint that moves."""
        return tuple(track.average for track in self._tracks)

    @property
    def silence(self) -> float:
        """The longest silence of a joint in s."""
        return max((self._now - track.believed_at for track in self._tracks), default=0.0)

    def configure(self, sensors: Sequence[Sensor]) -> None:
        """Take over other plausible measurements of the same joints."""
        for track, sensor in zip(self._tracks, sensors, strict=True):
            track.sensor = sensor

    def hear(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Take over the positions of a message.

        Args:
            names: names of the joints.
            positions: by the names, in rad or m.

        Returns:
            The problems of the message that were not reported before.
        """
        problems: dict[str, str] = {}
        if len(positions) != len(names):
            problems[''] = (
                f'a message has {len(names)} names, but {len(positions)} positions; those without '
                'a partner are ignored'
            )
        heard = dict(zip(names, positions, strict=False))
        setpoints = self.setpoints or (math.nan,) * len(self._tracks)
        for track, setpoint in zip(self._tracks, setpoints, strict=True):
            name = track.sensor.name
            position = heard.get(name, 0.0)
            if not abs(position) <= LARGEST_POSITION:  # or NaN
                problems[name] = (
                    f"the position of joint '{name}' is {position}; it must be a finite number "
                    f'from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} and is ignored'
                )
            elif name in heard:
                track.hear(position, setpoint, self._now)
        new = [problems[kind] for kind in problems if kind not in self._said]
        self._said.update(problems)
        return new

    def pass_time(self, clock_time: float, wall_time: float) -> None:
        """Let time pass, to the present.

        It passes as fast as the slower of both clocks: nothing is measured while a simulation is
        paused, and a fast simulation may outrun this process.

        Args:
            clock_time: time of the node's clock in s, which may jump and stand still.
            wall_time: time of a steady clock in s.
        """
        before, self._times = self._times or (clock_time, wall_time), (clock_time, wall_time)
        waited = wall_time - before[1]
        passed = min(clock_time - before[0], waited)
        if clock_time > 0.0:  # a simulation has started, too
            self._age += min(max(waited, 0.0), LONGEST_TICK)
        self._now += min(max(passed, 0.0), LONGEST_TICK)

    @property
    def are_new(self) -> bool:
        """Whether this process has just started, and does not miss measurements yet.

        The first ones may come just in time, and still have to agree.
        """
        unknown = [track for track in self._tracks if math.isnan(track.position)]
        are_heard = all(self._now - track.doubted_at <= TIMEOUT for track in unknown)
        return self._age < (2.0 * GRACE if are_heard else GRACE)

    @property
    def are_late(self) -> bool:
        """Whether the last positions do not tell where the arm is now."""
        return self.silence > DROPPING or any(track.is_doubted for track in self._tracks)

    @property
    def doubts(self) -> str:
        """Describe the measurements that are not believed at present; empty for none."""
        return '; '.join(
            f"measurements of joint '{track.sensor.name}' cannot be true, such as "
            f'{track.doubted:.6g} after {track.position:.6g}'
            for track in self._tracks
            if self._now - track.doubted_at <= TIMEOUT and not math.isnan(track.position)
        )

    @property
    def fault(self) -> str:
        """Why the pose is not known, or cannot be moved from; empty if it can."""
        missing = [track.sensor.name for track in self._tracks if math.isnan(track.position)]
        if missing:
            return f'no position of {listed(missing)} was received'
        for track in self._tracks:
            if track.fault:
                return track.fault
        if self.silence <= TIMEOUT:
            return ''
        silent = [t.sensor.name for t in self._tracks if self._now - t.believed_at > TIMEOUT]
        return (
            f'for more than {TIMEOUT:g} s, no position of {listed(silent)} was received; new ones '
            f'are believed once they agree for {AGREEMENT:g} s'
        )
