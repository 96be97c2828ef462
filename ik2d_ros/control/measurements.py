"""The measured positions of joints, read from messages of any form; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
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

AGREEING = 3
"""How many measurements in a row must agree to be believed without the last believed one."""

FIRST_AGREEMENT, AGREEMENT = 0.1, 0.5
"""For how long in s they must: the first ones, and those that contradict it or follow a silence."""

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
        turns: whether its position may come wrapped into one turn.
        reach: the factor of tolerances: 1, or the reach in m for a joint that slides.
    """

    name: str
    lower: float = -math.inf
    upper: float = math.inf
    speed: float = math.inf
    unit: str = 'rad'
    turns: bool = False
    reach: float = 1.0

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


@dataclass
class _Track:
    """The measurements of a joint.

    Attributes:
        position: the last believed one; NaN for none.
        average: of the believed ones.
        trend: how many of them in a row were above the average, or below.
        believed_at: time of the last in s.
        doubted: the last implausible one; NaN for none.
        doubted_at: its time in s.
        doubted_since: time in s of the first one in a row that agrees with it.
        agreeing: how many in a row agree with it.
        dropped_since: time in s of the first one after the last believed one.
        jump: where that was; NaN if it came after a silence.
        dropped: how many were not believed, until none comes for a while.
    """

    position: float = math.nan
    average: float = math.nan
    trend: int = 0
    believed_at: float = -math.inf
    doubted: float = math.nan
    doubted_at: float = -math.inf
    doubted_since: float = -math.inf
    dropped_since: float = -math.inf
    jump: float = math.nan
    agreeing: int = 0
    dropped: int = 0

    @property
    def is_doubted(self) -> bool:
        """Whether the last measurement was not believed."""
        return self.doubted_at > self.believed_at

    @property
    def is_lost(self) -> bool:
        """Whether that has lasted: a position counts only once others agree."""
        return self.is_doubted and self.doubted_at - self.dropped_since >= DROPPING

    def believe(self, position: float, margin: float, now: float) -> None:
        """Take over a position; the average restarts if two in a row are further off than noise."""
        if min(abs(q - self.average) for q in (position, self.position)) <= margin:  # not if NaN
            share, off = min((now - self.believed_at) / AVERAGING, 1.0), position - self.average
            self.trend = self.trend + 1 if off * (self.position - self.average) > 0.0 else 0
            self.average += share * off
        else:
            self.average = position
        self.position, self.believed_at, self.agreeing = position, now, 0


@dataclass
class Measurements:
    """The measured positions of a set of joints.

    A driver may publish the joints in any order, in several messages, and together with other
    joints; each message updates the joints that it names. Unusable positions are ignored.

    A position is believed if it is within the limits and no further from the last believed one than
    the joint could have gone. Any other is dropped, and so are those that follow and are nearer to
    it, until they have agreed for a while.

    Attributes:
        sensors: the plausible measurements of each joint.
        setpoints: (k,) where the joints are commanded to be; empty if they are not commanded.
    """

    sensors: Sequence[Sensor]
    setpoints: Sequence[float] = ()
    _tracks: dict[str, _Track] = field(default_factory=dict)
    _now: float = 0.0  # s that passed for the measurements
    _age: float = 0.0  # s
    _times: tuple[float, float] | None = None
    _said: set[str] = field(default_factory=set)
    _fault: str | None = None  # until something is heard, or time passes

    def __post_init__(self) -> None:
        """Start with nothing measured."""
        self._tracks = {sensor.name: _Track() for sensor in self.sensors}

    @property
    def positions(self) -> tuple[float, ...]:
        """(k,) last believed positions, in the order of the joints; NaN for none."""
        return tuple(track.position for track in self._tracks.values())

    @property
    def were_known(self) -> bool:
        """Whether all of them were ever believed."""
        return not any(map(math.isnan, self.positions))

    @property
    def averages(self) -> tuple[float, ...]:
        """(k,) averages of the last positions; the last one of a joint that moves."""
        return tuple(
            each.position
            if each.trend >= TREND or abs(each.average - each.position) > sensor.margin
            else each.average
            for sensor, each in zip(self.sensors, self._tracks.values(), strict=True)
        )

    @property
    def silence(self) -> float:
        """The longest silence of a joint in s."""
        return max((self._now - track.believed_at for track in self._tracks.values()), default=0.0)

    def configure(self, sensors: Sequence[Sensor]) -> None:
        """Take over other plausible measurements of the same joints."""
        self.sensors, self._fault = sensors, None

    def hear(self, names: Sequence[str], positions: Sequence[float]) -> list[str]:
        """Take over the positions of a message.

        Args:
            names: names of the joints.
            positions: by the names, in rad or m.

        Returns:
            The problems of the message that were not reported before.
        """
        problems: dict[str, str] = {}
        self._fault = None
        if len(positions) != len(names):
            problems[''] = (
                f'a message has {len(names)} names, but {len(positions)} positions; those without '
                'a partner are ignored'
            )
        heard = dict(zip(names, positions, strict=False))
        setpoints = self.setpoints or (math.nan,) * len(self.sensors)
        for sensor, setpoint in zip(self.sensors, setpoints, strict=True):
            position = heard.get(sensor.name, 0.0)
            if not abs(position) <= LARGEST_POSITION:  # or NaN
                problems[sensor.name] = (
                    f"the position of joint '{sensor.name}' is {position}; it must be a "
                    f'finite number from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} and is '
                    'ignored'
                )
            elif sensor.name in heard:
                self._judge(sensor, self._tracks[sensor.name], position, setpoint)
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
        before, self._times = self._times, (clock_time, wall_time)
        self._fault = None
        waited = wall_time - before[1] if before else 0.0
        passed = min(clock_time - before[0], waited) if before else 0.0
        if clock_time > 0.0:  # a simulation has started, too
            self._age += min(max(waited, 0.0), LONGEST_TICK)
        self._now += min(max(passed, 0.0), LONGEST_TICK)

    @property
    def are_new(self) -> bool:
        """Whether this process has just started, and does not miss measurements yet.

        The first ones may come just in time, and still have to agree.
        """
        missing = [each for each in self._tracks.values() if math.isnan(each.position)]
        are_heard = all(self._now - each.doubted_at <= TIMEOUT for each in missing)
        return self._age < (2.0 * GRACE if are_heard else GRACE)

    @property
    def are_late(self) -> bool:
        """Whether the last positions do not tell where the arm is now."""
        is_doubted = any(track.is_doubted for track in self._tracks.values())
        return is_doubted or self.silence > DROPPING

    @property
    def doubts(self) -> str:
        """Describe the measurements that are not believed at present; empty for none."""
        return '; '.join(
            f"the last {track.dropped} of joint '{name}' cannot be true, such as "
            f'{track.doubted:.6g} after {track.position:.6g}'
            for name, track in self._tracks.items()
            if track.dropped >= AGREEING
            and self._now - track.doubted_at <= TIMEOUT
            and not math.isnan(track.position)
        )

    @property
    def fault(self) -> str:
        """Why the pose is not known, or cannot be moved from; empty if it can."""
        if self._fault is None:
            self._fault = self._found_fault()
        return self._fault

    def _found_fault(self) -> str:
        tracks = self._tracks.items()
        missing = [name for name, track in tracks if math.isnan(track.position)]
        if missing:
            return f'no position of {listed(missing)} was received'
        for sensor in self.sensors:
            track, unit = self._tracks[sensor.name], sensor.unit
            is_jump = track.is_lost and not math.isnan(track.jump)
            position = track.jump if is_jump else track.position
            is_inside = sensor.can_be_at(position)
            if is_inside and not is_jump:
                continue
            words = f"joint '{sensor.name}' is measured at {position:.4g} {unit}"
            if not is_inside:
                return (
                    f'{words}, more than {sensor.margin:g} {unit} outside its limits '
                    f'of {sensor.lower:.4g} to {sensor.upper:.4g} {unit}'
                )
            return (
                f'{words}, where it cannot have come from {track.position:.4g} {unit}; it is '
                f'believed once its positions agree for {AGREEMENT:g} s'
            )
        silent = [name for name, track in tracks if self._now - track.believed_at > TIMEOUT]
        if silent:
            return (
                f'for more than {TIMEOUT:g} s, no position of {listed(silent)} was received; new '
                f'ones are believed once they agree for {AGREEMENT:g} s'
            )
        return ''

    def _judge(self, sensor: Sensor, track: _Track, position: float, setpoint: float) -> None:
        """Believe a position, or doubt it until others agree."""
        is_first = math.isnan(track.position)
        if sensor.turns and not is_first:
            position += math.tau * round((track.position - position) / math.tau)
        now = self._now
        silence, gap = now - track.believed_at, now - track.doubted_at
        is_nearer_to_doubts = track.is_doubted and (
            abs(position - track.doubted) + 2.0 * sensor.margin < abs(position - track.position)
        )
        if (
            silence <= TIMEOUT
            and not track.is_lost
            and sensor.can_be_at(position)
            and sensor.can_go(track.position, position, silence, setpoint)
            and not is_nearer_to_doubts
        ):
            track.believe(position, sensor.margin, now)
            return
        if gap > TIMEOUT:
            track.agreeing = track.dropped = 0
        if not track.is_doubted or gap > TIMEOUT:
            track.dropped_since = now
            track.jump = position if silence <= TIMEOUT else math.nan
        if not (track.agreeing and sensor.can_go(track.doubted, position, gap)):
            track.agreeing, track.doubted_since = 0, now
        track.doubted, track.doubted_at = position, now
        track.agreeing += 1
        track.dropped += 1
        agreed = FIRST_AGREEMENT if is_first else AGREEMENT
        if track.agreeing >= AGREEING and now - track.doubted_since >= agreed:
            track.believe(position, sensor.margin, now)
            track.dropped = 0
