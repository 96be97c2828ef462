"""The measured positions of joints, read from messages of any form; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed

TIMEOUT = 0.5  # s for which a joint may be silent before its position counts as unknown
GRACE = 2.5  # s after the start: a driver may come later, and the first measurements have to agree
LONGEST_TICK = 0.2  # s, of a silence: after a pause, messages may still wait to be received
FIRST_AGREEMENT, AGREEMENT = 0.1, 0.5  # s: the first measurements are believed then, and others
DROPPING = 0.1  # s for which measurements may contradict the last believed one
AVERAGING = 0.1  # s over which measurements are averaged
TREND = 8  # measurements in a row on one side of their average are a move, not noise


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

    @cached_property
    def margin(self) -> float:
        """How far it may be beyond its limits, and how large noise may be."""
        return 0.1 if self.unit == 'rad' else 0.02

    def fault_at(self, position: float) -> str:
        """Return what is wrong with a position outside the limits; empty if it is near enough."""
        if self.lower - self.margin <= position <= self.upper + self.margin:
            return ''
        return (
            f"joint '{self.name}' is measured at {position:.4g} {self.unit}, more than "
            f'{self.margin:g} {self.unit} outside its limits of {self.lower:.4g} to '
            f'{self.upper:.4g} {self.unit}'
        )

    def can_go(self, before: float, after: float, span: float, setpoint: float = math.nan) -> bool:
        """Return whether it can have moved so in a span in s; it may be at its setpoint at once."""
        most = self.margin + self.speed * span
        least, largest = min(before, setpoint), max(before, setpoint)  # before, if that is NaN
        return least - most <= after <= largest + most


class _Track:
    """The measurements of a joint: the last one that was believed, and the last one dropped."""

    def __init__(self, sensor: Sensor) -> None:
        self.sensor = sensor
        self.position = self.doubted = self._average = self._off = math.nan
        self.believed_at = self.doubted_at = -math.inf  # s
        self.fault = ''  # why the position is not where the joint can be
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
        silence, gap = now - self.believed_at, now - self.doubted_at
        if sensor.unit == 'rad' and sensor.lower == -math.inf:  # it may be wrapped
            # After a silence, a joint that is not commanded may be in another turn.
            is_tracked = silence <= TIMEOUT or not (is_first or math.isnan(setpoint))
            last = before if is_tracked else self.doubted if gap <= TIMEOUT else position
            turned = position + math.tau * round((last - position) / math.tau)
            if is_tracked or sensor.can_go(last, turned, gap):
                position = turned
        if (
            silence <= TIMEOUT
            and not sensor.fault_at(position)
            and sensor.can_go(before, position, silence, setpoint)
            and (not self.is_doubted or (self._is_nearer(position) and not self.fault))
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
            self.fault = sensor.fault_at(position) or (
                f"joint '{sensor.name}' is measured at {position:.4g} {sensor.unit}, where it "
                f'cannot have come from {before:.4g} {sensor.unit}; it is believed once its '
                f'positions agree for {AGREEMENT:g} s'
            )

    def _is_nearer(self, position: float) -> bool:
        """Return whether a position is as near to the believed ones as to the dropped ones."""
        off = abs(position - self.doubted) + 2.0 * self.sensor.margin
        return abs(position - self.position) <= off

    def _believe(self, position: float, now: float) -> None:
        """Take over a position; the average restarts if two in a row are further off than noise."""
        sensor, off, before = self.sensor, position - self._average, self._off
        self._trend, self._off = self._trend + 1 if off * before > 0.0 else 0, off
        if min(abs(off), abs(self.position - self._average)) <= sensor.margin:  # not if NaN
            self._average += min((now - self.believed_at) / AVERAGING, 1.0) * off
        else:
            self._average = position
        self.position, self.believed_at, self.fault = position, now, sensor.fault_at(position)


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
        """Start with nothing measured; the sensors say what is plausible for each joint."""
        self.setpoints: Sequence[float] = ()
        self._tracks = [_Track(sensor) for sensor in sensors]
        self._now = self._age = 0.0  # s that passed for the measurements, and since the start
        self._times: tuple[float, float] | None = None
        self._said: set[str] = set()

    @property
    def positions(self) -> tuple[float, ...]:
        """(k,) last believed positions, in the order of the joints; NaN for none."""
        return tuple([track.position for track in self._tracks])

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
        """Take over positions by names of joints; return problems that were not reported before."""
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
            if (position := heard.get(name)) is None:
                continue
            if abs(position) <= LARGEST_POSITION:  # not if NaN
                track.hear(position, setpoint, self._now)
            else:
                problems[name] = (
                    f"the position of joint '{name}' is {position}; it must be a finite number "
                    f'from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} and is ignored'
                )
        new = [problems[kind] for kind in problems if kind not in self._said]
        self._said.update(problems)
        return new

    def pass_time(self, clock_time: float, wall_time: float) -> None:
        """Let time pass, to the present by the node's clock and by a steady one, in s.

        It passes as fast as the slower one. The node's clock may jump and stand still: nothing is
        measured while a simulation is paused, and a fast simulation may outrun this process.
        """
        before, self._times = self._times or (clock_time, wall_time), (clock_time, wall_time)
        waited = wall_time - before[1]
        passed = min(clock_time - before[0], waited)
        if clock_time > 0.0:  # a simulation has started, too
            self._age += min(max(waited, 0.0), LONGEST_TICK)
        self._now += min(max(passed, 0.0), LONGEST_TICK)

    @property
    def are_new(self) -> bool:
        """Whether this process has just started, and does not miss measurements yet."""
        return self._age < GRACE

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
        silent = [track for track in self._tracks if self._now - track.believed_at > TIMEOUT]
        if missing := [track.sensor.name for track in silent if math.isnan(track.position)]:
            return f'no position of {listed(missing)} was received'
        for track in self._tracks:
            if track.fault:
                return track.fault
        if silent:
            names = listed(track.sensor.name for track in silent)
            return (
                f'for more than {TIMEOUT:g} s, no position of {names} was received; new '
                f'ones are believed once they agree for {AGREEMENT:g} s'
            )
        return ''
