"""The measured positions of joints: outliers, faults and timeouts; no ROS imports."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import NamedTuple

from ik2d_ros.kinematics.arguments import LARGEST_POSITION
from ik2d_ros.parameters.checks import listed

TIMEOUT = 0.5  # s for which a joint may be silent: drivers that retry miss fewer messages
GRACE = 2.5  # s after the start: a driver may come later, and the first measurements have to agree
MOST_SILENCE_PER_TICK = 0.2  # s: after a pause, messages may still wait to be received
AGREEMENT = 0.1  # s of agreement before the first ones are accepted, or a fault ends
OUTLIER_TIME = 0.1  # s for which they may contradict the last believed one: single wrong ones do
RECENT = 0.1  # s: a measurement is not older, the arm is still where it says
HAND_SPEED = 10.0  # of a joint's own speed: hands may move a joint faster than its servo
HAND_CHANGE = 2.0  # factor by which a hand changes speed from one measurement to the next
WRAP_LIMIT = math.pi + 1e-3  # rad, from 0 or from pi: a driver that wraps positions keeps to it
LIMIT_MARGIN = {'rad': 0.1, 'm': 0.02}  # by which real joints may be outside their limits


@dataclass(frozen=True)
class MeasurementBounds:
    """The bounds of plausible measurements of a joint, by its name, in rad or m and s."""

    name: str
    lower: float = -math.inf  # position limits
    upper: float = math.inf
    velocity: float = 2.0  # the most at which it moves by itself
    unit: str = 'rad'  # or m
    tolerance: float = 0.1  # of a measurement, around the last one or the command; above noise


class Sample(NamedTuple):
    """A measurement of a joint: its time in s, its position, and the raw one, perhaps wrapped."""

    time: float = -math.inf
    position: float = math.nan
    raw: float = math.nan


class _Track:
    """The measurements of a joint."""

    def __init__(self, bounds: MeasurementBounds) -> None:
        self.bounds = bounds
        self.setpoint = math.nan  # its newest command, until these have ended and it is measured
        self.jump_fault = ''  # why it is not believed, until it is again
        self.believed = self.dropped = Sample()  # the last of each; NaN before the first
        self.is_doubted = False  # whether the last measurement was dropped
        self._dropped_since = self._agreed_since = -math.inf  # s
        self._step, self._stepped_at = math.nan, -math.inf  # the last one; NaN: too far for a hand

    @property
    def fault(self) -> str:
        """Why it is not believed, or that it is too far outside its limits; else empty."""
        q, bounds, unit = self.believed.position, self.bounds, self.bounds.unit
        margin = LIMIT_MARGIN[unit]
        if self.jump_fault or not (q < bounds.lower - margin or q > bounds.upper + margin):
            return self.jump_fault
        return (
            f"joint '{bounds.name}' is measured at {q:.5g} {unit}, more than {margin:g} {unit} "
            f'outside its limits of {bounds.lower:.5g} to {bounds.upper:.5g} {unit}'
        )

    def update(self, raw: float, now: float) -> None:
        """Believe a position if the joint can have got there, else drop it."""
        sample = Sample(now, self._unwrapped(raw), raw)
        last = self.dropped if self.is_doubted else self.believed
        step = sample.position - last.position
        ends = self.believed.position, self.setpoint  # min, max: the first, if one is NaN
        farthest = max(min(ends) - sample.position, sample.position - max(ends))
        is_near = not farthest > self.bounds.tolerance
        is_moved = self._note_step(step, now)
        if self.jump_fault or now - self.believed.time > TIMEOUT:  # also before the first
            agrees = is_near and abs(step) <= self.bounds.tolerance
            if not agrees or now - last.time > TIMEOUT:
                self._agreed_since = now
            is_credible = now - self._agreed_since >= AGREEMENT
        else:
            is_credible = is_moved or is_near
        if is_credible:
            self.believe(sample, is_moved)
            return
        if not self.is_doubted:
            self._dropped_since = now
        self.dropped, self.is_doubted = sample, True
        if not (is_near or self.jump_fault) and now - self._dropped_since >= OUTLIER_TIME:
            name, unit = self.bounds.name, self.bounds.unit
            self.jump_fault = (
                f"joint '{name}' is measured at {sample.position:.5g} {unit}, where it cannot have "
                f'come from {self.believed.position:.5g} {unit} without being seen on its way; '
                'move it back, or confirm its position by ~/stop or by ~/enable with true'
            )

    def believe(self, sample: Sample, is_moved: bool = False) -> None:
        if self.is_doubted and not is_moved:
            self._step = math.nan  # what was dropped was no move
        self.believed, self.is_doubted, self.jump_fault = sample, False, ''

    def _unwrapped(self, raw: float) -> float:
        """Return a position in the turn of the last one where its driver may wrap positions."""
        if self.bounds.unit != 'rad' or self.bounds.lower > -math.inf:
            return raw
        known = self.dropped if math.isnan(self.believed.position) else self.believed
        for middle in (0.0, math.pi):
            if max(abs(known.raw - middle), abs(raw - middle)) <= WRAP_LIMIT:
                return raw + math.tau * round((known.position - raw) / math.tau)
        return raw

    def _note_step(self, step: float, now: float) -> bool:
        """Note a step; return whether it goes on like the last one, forth or back, as by a hand."""
        before, pause, is_doubted = self._step, now - self._stepped_at, self.is_doubted
        farthest = HAND_SPEED * self.bounds.velocity * min(pause, RECENT)
        is_far = abs(step) > self.bounds.tolerance + farthest
        if step:  # drivers repeat samples
            self._stepped_at = now
            is_jump = is_far or (is_doubted and math.isnan(before))
            self._step = math.nan if is_jump else max(step, before if is_doubted else 0.0, key=abs)
        if is_far or not before or pause > 2.0 * RECENT:
            return False
        # While measurements are dropped, it must go on in the direction of the jump.
        least = 1.0 / HAND_CHANGE if is_doubted else -HAND_CHANGE
        return least < step / before <= HAND_CHANGE  # not if NaN


class Measurements:
    """The measured positions of (k,) joints, from messages that may have some of them, and others.

    A position is believed if the joint can have gone there from the last believed one. Any other is
    dropped, and so are those that follow, however long they agree, until the joint is measured
    where it can be, or its position is confirmed.
    """

    def __init__(self, bounds: Sequence[MeasurementBounds]) -> None:
        """Start with nothing measured."""
        self._tracks = [_Track(each) for each in bounds]
        self._now = self._age = 0.0  # s that passed for the measurements, and since the start
        self._times: tuple[float, float] | None = None
        self._fault: str | None = None  # None for not looked for since the last change

    @property
    def positions(self) -> tuple[float, ...]:
        """(k,) last believed positions, in the order of the joints; NaN for none."""
        return tuple([track.believed.position for track in self._tracks])

    @property
    def were_known(self) -> bool:
        """Whether a position of every joint was ever believed."""
        return not any(map(math.isnan, self.positions))

    @property
    def silence(self) -> float:
        """The longest time in s for which a joint has had no believed position."""
        return max((self._now - track.believed.time for track in self._tracks), default=0.0)

    def configure(self, bounds: Sequence[MeasurementBounds]) -> None:
        """Take over other bounds of the same joints."""
        self._fault = None
        for track, each in zip(self._tracks, bounds, strict=True):
            track.bounds = each

    def update(self, names: Sequence[str], positions: Sequence[float]) -> None:
        """Take over positions by names of joints; those that are not finite are ignored."""
        self._fault = None
        received = dict(zip(names, positions, strict=False))
        for track in self._tracks:
            position = received.get(track.bounds.name, math.nan)
            if abs(position) <= LARGEST_POSITION:  # not if NaN
                track.update(position, self._now)

    def note_command(self, pose: Sequence[float]) -> None:
        """Note the (k,) positions to which joints are commanded; empty if they are not."""
        for track, setpoint in zip(self._tracks, pose or repeat(math.nan), strict=False):
            is_seen = self._now - track.believed.time <= RECENT and not track.is_doubted
            if pose or is_seen:  # else it goes on to the last one
                track.setpoint = setpoint

    def confirm(self) -> None:
        """Believe implausible positions, as an operator has confirmed them."""
        self._fault = None
        for track in self._tracks:
            raw = track.dropped.raw
            if track.jump_fault and self._now - track.dropped.time <= TIMEOUT:
                track.believe(Sample(self._now, raw, raw))
                track.setpoint = math.nan  # it was not on its way there

    def pass_time(self, clock_time: float, steady_time: float) -> None:
        """Let time pass, to the present by the node's clock and by a steady one, in s.

        It passes as fast as the slower one. The node's clock may jump and stand still: nothing is
        measured while a simulation is paused, and a fast simulation may outrun this process.
        """
        before, self._times = self._times or (clock_time, steady_time), (clock_time, steady_time)
        waited = steady_time - before[1]
        if waited:
            self._fault = None
        passed = min(clock_time - before[0], waited)
        if clock_time > 0.0:  # a simulation has started, too
            self._age += min(max(waited, 0.0), MOST_SILENCE_PER_TICK)
        self._now += min(max(passed, 0.0), MOST_SILENCE_PER_TICK)

    @property
    def has_just_started(self) -> bool:
        """Whether the process has just started: no timeout yet."""
        return self._age < GRACE

    @property
    def are_late(self) -> bool:
        """Whether the last positions may not be where the arm is now."""
        return self.silence > RECENT or any(track.is_doubted for track in self._tracks)

    @property
    def jump_fault(self) -> str:
        """Why a joint is not believed where it is measured; empty if all are."""
        return next((each.jump_fault for each in self._tracks if each.jump_fault), '')

    @property
    def fault(self) -> str:
        """Why the pose is not known, or cannot be moved from; empty if it can."""
        if self._fault is None:  # many ask for it in each tick
            faults = [track.fault for track in self._tracks]
            silent = [track for track in self._tracks if self._now - track.believed.time > TIMEOUT]
            if silent:
                names = listed(track.bounds.name for track in silent)
                faults += [f'no valid position of {names} was received in the last {TIMEOUT:g} s']
            self._fault = next(filter(None, faults), '')
        return self._fault
