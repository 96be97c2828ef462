"""The measured positions of joints, read from messages of any form; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat

from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed

TIMEOUT = 0.5  # s for which a joint may be silent before its position counts as unknown
GRACE = 2.5  # s after the start: a driver may come later, and the first measurements have to agree
LONGEST_TICK = 0.2  # s, of a silence: after a pause, messages may still wait to be received
AGREEMENT = 0.1  # s for which measurements must agree to be the first ones, or to end a fault
DROPPING = 0.1  # s for which measurements may contradict the last believed one
AVERAGING = 0.1  # s over which measurements are averaged
TREND = 8  # measurements in a row on one side of their average are a move, not noise
HANDS = 10.0  # times its own speed at which hands may move a joint
TURN = math.pi + 1e-3  # rad: a driver that wraps positions says none further from 0, or from pi


@dataclass(frozen=True)
class Sensor:
    """The plausible measurements of a joint.

    Attributes:
        name: the joint's name.
        lower, upper: position limits; infinite for none.
        speed: the most that it moves per s by itself.
        unit: of its position, rad or m.
        reach: the factor of tolerances: 1, or the reach in m for a joint that slides.
        tolerance: how far it may be after a silence from where it was.
    """

    name: str
    lower: float = -math.inf
    upper: float = math.inf
    speed: float = 2.0
    unit: str = 'rad'
    reach: float = 1.0
    tolerance: float = 0.1

    @cached_property
    def margin(self) -> float:
        """How far it may be beyond its limits, and how large noise may be."""
        return 0.1 if self.unit == 'rad' else 0.02

    def fault_at(self, position: float) -> str:
        """Return what is wrong with a position outside the limits; empty if it is near enough."""
        if not (position < self.lower - self.margin or position > self.upper + self.margin):
            return ''
        return (
            f"joint '{self.name}' is measured at {position:.5g} {self.unit}, more than "
            f'{self.margin:g} {self.unit} outside its limits of {self.lower:.5g} to '
            f'{self.upper:.5g} {self.unit}'
        )


class _Track:
    """The measurements of a joint: the last one that was believed, and the last one dropped.

    Attributes:
        setpoint: where it was commanded to be when it was believed last, or since; NaN for none.
        fault: why it is not believed, until it is again.
    """

    def __init__(self, sensor: Sensor) -> None:
        self.sensor = sensor
        self.position = self.doubted = self.setpoint = math.nan
        self.believed_at = self.doubted_at = -math.inf  # s
        self.fault = ''
        self._average = self._off_average = math.nan
        self._trend = 0  # how many believed ones in a row were above their average, or below
        self._said = self._heard = math.nan  # the last believed one as it was said; the last one
        self._turns = 0  # added to what is said
        self._step, self._changed_at = 0.0, -math.inf  # the last one, as drivers repeat samples
        self._is_smooth = True  # whether hands may have moved it to the dropped ones
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

    def is_lost(self, now: float) -> bool:
        """Return whether it has to be measured for a while where it can be, to be believed."""
        return math.isnan(self.position) or bool(self.fault) or now - self.believed_at > TIMEOUT

    def hear(self, said: float, now: float) -> None:
        """Believe a position if the joint can have got there, else drop it."""
        sensor, before, is_lost = self.sensor, self.position, self.is_lost(now)
        position, self._heard = self._unwrapped(said), said
        gap = now - max(self.believed_at, self.doubted_at)
        most = sensor.margin + sensor.speed * min(now - self.believed_at, DROPPING)
        is_smooth = self._goes_on(position, now)
        if is_lost:
            is_credible = self._agrees(position, gap, most, now)
        elif self._off(position) > most:
            is_credible = is_smooth
        else:  # in doubt, it is as near to the believed ones as to the dropped ones
            off = abs(position - self.doubted) + 2.0 * sensor.margin
            is_credible = not self.is_doubted or abs(position - before) <= off
        if is_credible:
            if self.is_doubted and (is_lost or not is_smooth):
                self._step = 0.0  # what was dropped was no move
            self._believe(position, now)
            return
        if not self.is_doubted:
            self._dropped_since = now
        self.doubted, self.doubted_at = position, now
        is_elsewhere = not is_lost or self._off(position) > sensor.tolerance
        if is_elsewhere and not self.fault and now - self._dropped_since >= DROPPING:
            self.fault = (
                f"joint '{sensor.name}' is measured at {position:.5g} {sensor.unit}, where it "
                f'cannot have come from {before:.5g} {sensor.unit} without being seen on its way; '
                'move it back, or confirm its position by ~/stop or by ~/enable with true'
            )

    def confirm(self, now: float) -> None:
        """Believe a joint that is measured where it cannot have come."""
        if self.fault and now - self.doubted_at <= TIMEOUT:
            self._turns = 0
            self._believe(self._heard, now)

    def _unwrapped(self, said: float) -> float:
        """Return a position in the turn of the last one where its driver may wrap positions."""
        before, last, sensor = self.position, self._said, self.sensor
        if math.isnan(before):
            before, last = self.doubted, self._heard
        if sensor.unit == 'rad' and sensor.lower == -math.inf and not math.isnan(before):
            for middle in (0.0, math.pi):
                if max(abs(said - middle), abs(last - middle)) <= TURN:
                    self._turns = round((before - said) / math.tau)
        return said + math.tau * self._turns

    def _off(self, position: float) -> float:
        """Return how far a position is from where the joint was, and was commanded; or NaN."""
        ends = self.position, self.setpoint  # the first, if the second is NaN
        return max(min(ends) - position, position - max(ends), 0.0)

    def _agrees(self, position: float, gap: float, most: float, now: float) -> bool:
        """Return whether it was measured for a while near where it was, if that is known."""
        is_off = self._off(position) > self.sensor.tolerance  # not if NaN
        is_first = gap > TIMEOUT or not self.is_doubted
        if is_first or is_off or abs(position - self.doubted) > most:
            self._agreed_since = now
        return now - self._agreed_since >= AGREEMENT

    def _goes_on(self, position: float, now: float) -> bool:
        """Return whether hands may move it so: it goes on, or back, as it has just moved."""
        sensor, last = self.sensor, self.doubted if self.is_doubted else self.position
        pause, before, step = now - self._changed_at, self._step, position - last
        if step:
            self._changed_at = now
            self._step = before if self.is_doubted and abs(step) < abs(before) else step
        most = sensor.margin + HANDS * sensor.speed * min(pause, DROPPING)
        self._is_smooth = abs(step) <= most and (self._is_smooth or not self.is_doubted)
        share = step / before if before and pause <= 2.0 * DROPPING else math.inf
        return self._is_smooth and (0.5 if self.is_doubted else -2.0) < share <= 2.0

    def _believe(self, position: float, now: float) -> None:
        """Take over a position; the average restarts if two in a row are further off than noise."""
        off, before = position - self._average, self._off_average
        self._trend, self._off_average = self._trend + 1 if off * before > 0.0 else 0, off
        if min(abs(off), abs(self.position - self._average)) <= self.sensor.margin:  # not if NaN
            self._average += min((now - self.believed_at) / AVERAGING, 1.0) * off
        else:
            self._average = position
        self.position, self.believed_at, self.fault = position, now, ''
        self._said = self._heard


class Measurements:
    """The measured positions of a set of joints.

    A driver may publish the joints in any order, in several messages, and together with other
    joints; each message updates the joints that it names. Unusable positions are ignored.

    A position is believed if the joint can have gone there from the last believed one. Any other is
    dropped, and so are those that follow, however long they agree, until the joint is measured
    where it can be, or its position is confirmed.
    """

    def __init__(self, sensors: Sequence[Sensor]) -> None:
        """Start with nothing measured; the sensors say what is plausible for each joint."""
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
        for track in self._tracks:
            name = track.sensor.name
            if (position := heard.get(name)) is None:
                continue
            if abs(position) <= LARGEST_POSITION:  # not if NaN
                track.hear(position, self._now)
            else:
                problems[name] = (
                    f"the position of joint '{name}' is {position}; it must be a finite number "
                    f'from {-LARGEST_POSITION:g} to {LARGEST_POSITION:g} and is ignored'
                )
        new = [problems[kind] for kind in problems if kind not in self._said]
        self._said.update(problems)
        return new

    def command(self, pose: Sequence[float]) -> None:
        """Note the (k,) positions that joints are commanded to have; none if they are not.

        A joint that is not measured goes on to the last one.
        """
        for track, setpoint in zip(self._tracks, pose or repeat(math.nan), strict=False):
            is_seen = self._now - track.believed_at <= DROPPING and not track.is_doubted
            if pose or is_seen:
                track.setpoint = setpoint

    def confirm(self) -> None:
        """Believe the positions of joints that cannot have come there: a person says so."""
        for track in self._tracks:
            track.confirm(self._now)

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
    def jump(self) -> str:
        """Which joint is measured where it cannot have come; empty for none."""
        return next((track.fault for track in self._tracks if track.fault), '')

    @property
    def fault(self) -> str:
        """Why the pose is not known, or cannot be moved from; empty if it can."""
        silent = [track for track in self._tracks if self._now - track.believed_at > TIMEOUT]
        if missing := [track.sensor.name for track in silent if math.isnan(track.position)]:
            return f'no position of {listed(missing)} was received'
        outside = [track.sensor.fault_at(track.average) for track in self._tracks]
        if problems := [*filter(None, (self.jump, *outside))]:
            return problems[0]
        if silent:
            names = listed(track.sensor.name for track in silent)
            return f'for more than {TIMEOUT:g} s, no position of {names} was received'
        return ''
