"""The commanded pose on its way to the solved one.

Positions are in rad, those of joints that slide in m, and so are velocities and accelerations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from operator import mul, sub

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.crossing import crossing, floors
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion import smooth
from ik2d_ros.motion.smooth import Plan
from ik2d_ros.motion.state import MotionState
from ik2d_ros.motion.stream import Stream
from ik2d_ros.motion.way import PAUSE, Way

# The arm must be faster than the stream, to catch up with it.
_FASTEST_STREAM = 0.9  # of the velocity limit

_ROUNDING = 1e-9  # rad or m: positions that differ by no more are the same

_HALVINGS = 12  # of the interval in which the rate along a way is sought

_PARTS = (1.0, 0.5, 0.25, 0.125)  # of a step, to be tried in turn next to a wall


class Mover:
    """Moves the commanded pose to the solved one, within the motion limits.

    It has no clock: its owner lets time pass. Without motion limits the arm is at its goal at once.

    With limits on acceleration, two rules hold after every step:

    * From its state each joint can stop inside its position limits. Where a plan would break that,
      the arm brakes instead. A joint that begins outside its limits goes no further out than
      braking takes it.
    * The next step begins where the last one ended: at the same position and velocity, and, with
      jerk limits, at the same acceleration.

    Along a way, the rate at which its time passes changes no faster than the limits on acceleration
    allow: it waits, slows down and goes on without leaving the way. With jerk limits, which no way
    keeps, it leaves one only at rest.

    Walls are kept off by one rule, whatever it is told: a step is made only if a way to stop
    follows that brings nothing across, nor further across than it is. Else the arm goes on along
    the way to stop that was found one step before. If it stands then, it gives up its goal.

    Attributes:
        state: the last command.
        goal: (m,) the pose to go to.
        way_time: s along a way, negative before it leaves the first pose; None without a way.
        pace: the largest rate at which the time of a way passes, above 0 and at most 1.
        blocked: what would have come across a wall, if that is why it stands; else None.
    """

    def __init__(self, arm: ArmDescription, pace: float = 1.0) -> None:
        """Start at rest, at the arm's home."""
        self.pace = pace
        self._arm = self._next = arm  # the next one counts once the arm stands
        self._time = 0.0
        self._stream = Stream()
        self.state = MotionState.at_rest(arm.home)
        self.goal = self.state.positions
        self._plan: Plan | None = None
        self._planned = 0.0  # s since its beginning
        self._way: Way | None = None
        self._rate = 1.0
        self.way_time: float | None = None
        self._velocities: tuple[float, ...] | None = None  # at which it is steered
        self.blocked: Contact | None = None
        self._known: tuple[MotionState, Plan | None] = self.state, None  # the last way to a stop
        self._walled: Arm | None = None
        self._stop: tuple[Plan | None, float] = None, 0.0  # that keeps off, and s since its start
        self._tail: tuple[Way, float, float] | None = None  # or along a way, from a time at a rate
        self._floors: list[float] = []  # m, by the clearances of the arm
        self._across = self.goal  # the pose that was refused last
        self._clear_until = math.inf  # s along the way, which keeps off walls until then
        self._leaves_way = False
        self._face(arm)

    @property
    def takes_time(self) -> bool:
        """Whether motions take time; without motion limits the arm is at its goal at once."""
        return self._arm.has_motion_limits

    @property
    def is_smooth(self) -> bool:
        """Whether there are limits on acceleration."""
        return smooth.is_needed(self._arm.motion)

    @property
    def stops(self) -> list[tuple[float, float]]:
        """(m,) smallest and largest position of each joint if it brakes."""
        return self._stops(self.state)

    @property
    def arrived(self) -> bool:
        """Whether the arm is at the goal, at rest."""
        is_there = self.state.positions == self.goal and self.state.is_at_rest
        is_there = is_there and self._velocities is None
        return is_there and (self._way is None or self.way_time == self._way.duration)

    @property
    def end(self) -> Sequence[float]:
        """(m,) the pose at which it comes to rest: the goal, or the last pose of a way."""
        return self.goal if self._way is None else self._way.end

    def configure(self, arm: ArmDescription, pace: float = 1.0) -> None:
        """Take over an arm with the same joints and other limits, and another pace.

        A joint that is faster than a new limit brakes to it, with what it may until then: a smaller
        acceleration or jerk counts once the arm stands. A goal outside new position limits moves to
        the limit. A way, which other limits may not allow, is the caller's to end.
        """
        self.pace = pace
        self._face(arm)
        if (arm.motion, arm.limits) == (self._next.motion, self._next.limits):
            return
        self._next, before = arm, self._arm
        self._known, self._plan = (MotionState.at_rest(()), None), None
        if self.state.is_at_rest:
            self._arm = arm
        else:
            pairs = zip(arm.motion, before.motion, strict=True)
            self._arm = replace(arm, motion=tuple(_braking(*pair) for pair in pairs))
        if self._way is None:
            self._head_for(arm.clamped(self.goal))

    def aim(self, goal: Sequence[float], since: float | None = None) -> None:
        """Go to another pose, from the present state.

        Args:
            goal: (m,) inside the limits.
            since: s from the last step to the arrival of this goal, if it is one of a stream of
                goals that the arm follows as it moves; None for a single goal.
        """
        if since is None:
            self._stream.clear()
        else:
            self._stream.add(self._time + since, goal, self._fastest())
        is_elsewhere = tuple(goal) != self.goal or self._velocities is not None
        if self._way is not None or is_elsewhere:
            self._head_for(goal)

    def steer(self, velocities: Sequence[float]) -> None:
        """Move at velocities until it is told otherwise; joints slow down before their limits.

        Args:
            velocities: (m,) rad/s.
        """
        self._stream.clear()
        self._plan = self._way = self.way_time = self.blocked = None
        self._velocities = tuple(velocities)

    def follow(self, way: Way) -> None:
        """Go to the first pose of a way, stand there for ``PAUSE``, and go along it."""
        if way is self._way:
            return
        self.aim(way.start)
        self._way, self.way_time, self._rate = way, -PAUSE, 1.0
        self._leaves_way, self._clear_until = False, math.inf
        if self._walled is not None:
            self._clear_until = way.clear_until(self._walled)

    def advance(self, dt: float, elapsed: float = 0.0) -> MotionState:
        """Return the state some time later.

        Args:
            dt: s by which the motion goes on, if positive.
            elapsed: s since the last step, if more: a stream of goals goes on by that.
        """
        return self._kept_off(self._advance, dt, elapsed)

    def _advance(self, dt: float, elapsed: float) -> None:
        goes_on = dt > 0.0
        if self.state.is_at_rest:
            self._arm = self._next
        self._time += max(elapsed, dt if goes_on else 0.0)
        if not goes_on:
            return
        if self._way is not None and (self._has_begun or self._is_at(self._way.start)):
            self._go_along(self._way, dt, 0.0 if self._leaves_way else self.pace)
            if self._leaves_way and self.state.is_at_rest:
                self.place(self.state.positions)
        elif self._velocities is not None:
            self._go_at(self._velocities, dt)
        elif smooth.is_needed(self._arm.motion):
            self._move(dt)
        elif not self.arrived:
            self._step(dt)

    def wait(self, dt: float, elapsed: float = 0.0) -> MotionState:
        """Return the state some time later if the arm brakes, and keeps its goal.

        Args:
            dt: s, positive.
            elapsed: as of :meth:`advance`.
        """
        return self._kept_off(self._wait, dt, elapsed)

    def _wait(self, dt: float, elapsed: float) -> None:
        self._time += max(elapsed, dt)
        if self._way is not None and self._has_begun:
            self._go_along(self._way, dt, 0.0)
        else:
            self._plan, self.state = None, self._braked(dt)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""
        return self._arm.clamped(positions)

    def place(self, positions: Sequence[float]) -> None:
        """Put the arm at rest somewhere, which is then its goal.

        Args:
            positions: (m,); may be outside the limits, and is then walked back by the next
                motion.
        """
        self.state, self._tail = MotionState.at_rest(positions), None
        self._give_up()
        self._set_floors()

    def halt(self) -> None:
        """Brake as fast as limits and walls allow; the goal is where the arm stops."""
        if self._tail is not None and (self._has_jerk or not self._finds_stop()):
            self._way, self.way_time, self._rate = self._tail
            self._leaves_way = True  # once it has slowed down along it
            return
        plan, begun = self._brakes(self.state), 0.0
        if self._walled is not None:
            self._finds_stop()
            plan, begun = self._stop
        self._give_up()
        if plan is None:
            self.state = MotionState.at_rest(self.goal)
        else:
            # Rounding may end it beyond a limit, where the arm would never arrive.
            self.goal = _held_to(self._bounds(), MotionState.at_rest(plan.goal)).positions
            self._plan, self._planned = replace(plan, goal=self.goal), begun

    def _give_up(self) -> None:
        """Have no goal but the present pose."""
        self.goal = self.state.positions
        self._plan = self._way = self.way_time = self._velocities = self.blocked = None
        self._stream = Stream()

    # --- walls ---

    def _face(self, arm: ArmDescription) -> None:
        """Keep off the walls of an arm from now on."""
        walled = arm.kinematics if arm.walls else None
        if walled != self._walled:
            self._walled, self._clear_until = walled, 0.0
            self._set_floors()

    def _set_floors(self) -> None:
        """Note how far across walls the arm is; until more is known, it can only brake."""
        self._stop = self._brakes(self.state), 0.0
        if (arm := self._walled) is not None:
            self._floors = floors(arm, arm.clearances(self.state.positions))

    def _kept_off(
        self, step: Callable[[float, float], None], dt: float, elapsed: float
    ) -> MotionState:
        """Make a step, or brake where it would lead across a wall, or off a way too early."""
        if not (dt > 0.0 and (self._walled is not None or self._keeps_to_way or self._tail)):
            step(dt, elapsed)
            return self.state
        if self.state.is_at_rest:
            self._stop, self._tail = (None, 0.0), None
        elapsed = max(elapsed, dt)
        before = self.state, self.goal, self.way_time, self._rate, self._time
        for part in () if self._is_leaving else _PARTS:
            step(part * dt, elapsed)
            if self.state is before[0] or self._can_stop(dt):
                return self.state
            self.state, self.goal, self.way_time, self._rate, self._time = before
            if self.is_smooth:
                break
        self._time += elapsed
        self._retreat(dt)
        if before[0].is_at_rest:
            self._stand_blocked()
        return self.state

    def _stand_blocked(self) -> None:
        self._give_up()
        self.blocked = self._walled.contact(self._across) if self._walled else None

    def _retreat(self, dt: float) -> None:
        """Go on along the way to stop that was found before."""
        if self._way is not None and self._has_begun:
            self._stand_blocked()
        self._plan = None
        if self._tail is not None:
            kept = self.goal, self.way_time, self._rate
            way, self.way_time, self._rate = self._tail
            self._go_along(way, dt, 0.0)
            self._tail = way, self.way_time, self._rate
            self.goal, self.way_time, self._rate = kept
            return
        stop, begun = self._stop
        self._stop = stop, begun + dt
        if stop is None or begun + dt >= stop.duration:
            end = self.state.positions if stop is None else stop.goal
            self.state = MotionState.at_rest(end)
            self._set_floors()  # walls that it got on its way may be behind it
        else:
            self.state = stop.at(begun + dt)

    def _can_stop(self, dt: float) -> bool:
        """Return whether it can stop and keep off walls, and note how."""
        if not self._keeps_to_way or self._way is None or self.way_time is None:
            return self._finds_stop()
        tail = self._way, self.way_time, self._rate
        if self._clear_until < math.inf:
            before = self.state, self.goal
            while self._rate > 0.0:
                self._go_along(self._way, dt, 0.0)
            end, self.way_time, self._rate = self.way_time, *tail[1:]
            self.state, self.goal = before
            if end > self._clear_until:
                self._across = self._way.at(self._clear_until).positions
                return False
        self._tail = tail
        return True

    def _finds_stop(self) -> bool:
        """Find a way to stop that keeps off walls, and note it; return False if there is none."""
        arm, self._across = self._walled, self.state.positions
        if arm is None:
            return True
        clearances, least = arm.clearances(self._across), self._floors
        gaps = [*map(sub, clearances, least)]
        if min(gaps) < 0.0:
            return False
        if min(least) < arm.hair:  # what is across comes back
            least = [*map(max, least, floors(arm, clearances))]
            gaps = [*map(sub, clearances, least)]
        for stop in self._ways_to_stop():
            if stop is not None:
                travel = sum(map(mul, arm.levers, stop.travels))
                motion = partial(stop.moving, motion=self._arm.motion)
                across = crossing(arm, motion, stop.duration, least, gaps, travel)
                if across is not None:
                    self._across = tuple(across)
                    continue
            self._stop, self._tail, self._floors = (stop, 0.0), None, least
            return True
        return False

    def _ways_to_stop(self) -> Iterator[Plan | None]:
        """Yield the fastest way to a stop, then that of all joints in step.

        With jerk limits, the latter may be faster than the arm.
        """
        yield (fastest := self._brakes(self.state))
        if fastest is not None and not self._has_jerk:
            stop = smooth.steer(self.state, (0.0,) * len(self.goal), self._arm.motion)
            if stop is not None and _are_within(self._bounds(), stop.range):
                yield stop

    @property
    def _has_jerk(self) -> bool:
        return any(m.jerk for m in self._arm.motion)

    @property
    def _is_leaving(self) -> bool:
        """Whether it slows down along a way that it no longer follows."""
        return self._tail is not None and self._has_jerk and not self._keeps_to_way

    @property
    def _keeps_to_way(self) -> bool:
        """Whether it leaves a way only where it has slowed down along it, if it need not else."""
        if self._way is None or not self._has_begun:
            return False
        return self._has_jerk or (self._walled is not None and self._clear_until == math.inf)

    def _head_for(self, goal: Sequence[float]) -> None:
        self.goal = tuple(goal)
        self._plan = self._way = self.way_time = self._velocities = self.blocked = None
        # A target that is sent again is solved anew, and no two solutions are equal to the bit.
        if not self._arm.has_motion_limits or self._is_at(goal):
            before, self.state = self.state, MotionState.at_rest(goal)
            if not self._finds_stop():
                self.state = before
                self._stand_blocked()

    @property
    def _has_begun(self) -> bool:
        """Whether the first pose of the way was reached."""
        return self.way_time is not None and self.way_time > -PAUSE

    def _is_at(self, pose: Sequence[float]) -> bool:
        """Return whether the arm stands at a pose, but for rounding."""
        return self.state.is_at_rest and all(
            abs(q - p) <= _ROUNDING for q, p in zip(pose, self.state.positions, strict=True)
        )

    def _fastest(self) -> NDArray[np.float64]:
        """Return (m,) velocity limits."""
        limits = [m.velocity for m in self._arm.motion]
        return np.array([math.inf if limit is None else limit for limit in limits])

    def _go_along(self, way: Way, dt: float, rate: float) -> None:
        """Go on along a way, at the rate nearest to another that the accelerations allow."""
        begun, before = self.way_time or 0.0, self.state.velocities
        if begun < 0.0:
            self._rate = rate
            if rate > 0.0:  # the pause takes no longer at a slower pace
                begun = min(begun + (1.0 - rate) * dt, 0.0)
        most, since = [m.acceleration for m in self._arm.motion], self._rate

        def time_at(rate: float) -> float:
            mean = 0.5 * (since + rate) if self.is_smooth else rate
            return min(begun + mean * dt, way.duration)

        def is_allowed(rate: float) -> bool:
            state = way.at(time_at(rate)).slowed(rate)
            steps = map(sub, state.positions, self.state.positions)
            return all(  # up to the mean velocity of the tick, and from there
                limit is None
                or max(abs(step / dt - u), abs(v - step / dt)) <= 0.5 * limit * dt + _ROUNDING
                for u, step, v, limit in zip(before, steps, state.velocities, most, strict=True)
            )

        if rate != self._rate and not is_allowed(rate):
            present = since
            for _ in range(_HALVINGS):
                middle = 0.5 * (present + rate)
                present, rate = (middle, rate) if is_allowed(middle) else (present, middle)
            rate = present
        self._rate, self.way_time = rate, time_at(rate)
        self.state, self.goal = way.at(self.way_time).slowed(rate), way.end

    def _go_at(self, velocities: Sequence[float], dt: float) -> None:
        """Go on by a step towards velocities."""
        wanted = tuple(
            map(
                partial(_safe_speed, dt),
                velocities,
                self.state.positions,
                self.state.velocities,
                self._arm.motion,
                self._arm.limits,
            )
        )
        bounds = self._bounds()
        if not self.is_smooth:
            there = tuple(q + v * dt for q, v in zip(self.state.positions, wanted, strict=True))
            self.state = _held_to(bounds, MotionState(there, wanted, (0.0,) * len(wanted)))
        else:
            begin, self.state = self.state, self._braked(dt)
            for in_step in (True, False) if any(wanted) else (False,):
                plan = smooth.steer(begin, wanted, self._arm.motion, in_step)
                state = plan.at(min(dt, plan.duration)) if plan else None
                if plan and state and dt > plan.duration:
                    rest = dt - plan.duration
                    positions = (q + v * rest for q, v in zip(state.positions, wanted, strict=True))
                    state = MotionState(tuple(positions), wanted, (0.0,) * len(wanted))
                if state is not None and self._stops_within(bounds, state):
                    self.state = _held_to(bounds, state)
                    break
        self.goal = self.state.positions

    def _step(self, dt: float) -> None:
        """Go on by a step within limits on velocity alone."""
        motion = self._stream.motion(self._time, self._time)
        if motion is None:
            self.state = _stepped(self.state, self.goal, self._arm.motion, dt)
            return
        before, goal = self.state.positions, self._arm.clamped(motion[0].tolist())
        state = _stepped(self.state, goal, self._arm.motion, dt)
        speed = tuple((q - p) / dt for p, q in zip(before, state.positions, strict=True))
        self.state = MotionState(state.positions, speed, state.accelerations)

    def _move(self, dt: float) -> None:
        """Go on by a step within limits on acceleration."""
        goal, drift = self._followed(dt) or (self.goal, (0.0,) * len(self.goal))
        if goal == self.goal and not any(drift) and self.arrived:
            return
        bounds = self._bounds()
        for plan, begun in self._plans(goal, drift):
            state = plan.at(begun + dt)
            if self._stops_within(bounds, state):
                self._plan, self._planned = plan, begun + dt
                self.state = _held_to(bounds, state)
                return
        brakes, self._plan = self._brakes(self.state), None
        state = _held_to(bounds, brakes.at(dt)) if brakes else self.state
        # Limits near the smallest or the largest number that there is may give nonsense.
        self.state = state if state.is_finite else MotionState.at_rest(self.state.positions)

    def _plans(self, goal: Sequence[float], drift: Sequence[float]) -> Iterator[tuple[Plan, float]]:
        """Yield motions to a goal, the best first, and for how long each has gone on."""
        plan = self._plan
        if plan is not None and (plan.goal, plan.drift) == (goal, drift) and not any(drift):
            yield plan, self._planned
        for in_step in (True, False):
            plan = smooth.plan(self.state, goal, drift, self._arm.motion, in_step)
            if plan is not None:
                yield plan, 0.0

    def _followed(self, dt: float) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Return the place and velocity of the stream of goals, if there is one to follow."""
        motion = self._stream.motion(self._time - dt, self._time)
        if motion is None:
            return None
        goal = self._arm.clamped(motion[0].tolist())
        speed = np.abs(motion[1])
        slower = float(np.max(speed / self._fastest(), initial=0.0)) / _FASTEST_STREAM
        return goal, self._inwards(goal, (motion[1] / max(slower, 1.0)).tolist())

    def _inwards(self, goal: Sequence[float], drift: Sequence[float]) -> tuple[float, ...]:
        """Return velocities with 0 for joints that could not stop inside their limits."""
        stops = self._stops(MotionState.at_rest(goal)._replace(velocities=tuple(drift)))
        return tuple(
            v if lower <= lowest and highest <= upper else 0.0
            for v, (lowest, highest), (lower, upper) in zip(
                drift, stops, self._arm.limits, strict=True
            )
        )

    def _bounds(self) -> list[tuple[float, float]]:
        """Return how far each joint may go: to its limits, or as far as braking takes it."""
        return [
            (
                lowest if lowest < lower - _ROUNDING else lower,
                highest if highest > upper + _ROUNDING else upper,
            )
            for (lower, upper), (lowest, highest) in zip(
                self._arm.limits, self._stops(self.state), strict=True
            )
        ]

    def _stops_within(self, bounds: Sequence[tuple[float, float]], state: MotionState) -> bool:
        return _are_within(bounds, self._stops(state))

    def _stops(self, state: MotionState) -> list[tuple[float, float]]:
        """Return the smallest and largest position of each joint if it brakes."""
        plan = self._brakes(state)
        return plan.range if plan else [(p, p) for p in state.positions]

    def _braked(self, dt: float) -> MotionState:
        """Return the state a step later if the arm brakes."""
        brakes = self._brakes(self.state)
        state = brakes.at(dt) if brakes else MotionState.at_rest(self.state.positions)
        return _held_to(self._bounds(), state)

    def _brakes(self, state: MotionState) -> Plan | None:
        """Return the way to a stop; None if that is here."""
        if self._known[0] != state:
            moves, still = self.is_smooth and not state.is_at_rest, (0.0,) * len(self.goal)
            plan = smooth.steer(state, still, self._arm.motion, in_step=False) if moves else None
            self._known = state, plan
        return self._known[1]


def _safe_speed(
    dt: float,
    wanted: float,
    position: float,
    velocity: float,
    motion: MotionLimits,
    limits: tuple[float, float],
) -> float:
    """Return the speed nearest to the wanted one from which a joint stops inside its limits."""
    if motion.velocity is not None:
        wanted = min(max(wanted, -motion.velocity), motion.velocity)
    room = max(limits[1] - position if wanted > 0.0 else position - limits[0], 0.0)
    if motion.acceleration is None:
        most = room / dt
    else:
        # It goes on for a step at this speed, or the one that it has, and brakes.
        pull, speed = motion.acceleration, abs(velocity)
        most = math.sqrt(2.0 * pull * max(room - speed * dt, 0.0))
        most = min(most, math.sqrt((pull * dt) ** 2 + 2.0 * pull * room) - pull * dt)
    return min(max(wanted, -most), most)


def _braking(new: MotionLimits, old: MotionLimits) -> MotionLimits:
    """Return new limits that allow to brake as hard as old ones."""

    def larger(a: float | None, b: float | None) -> float | None:
        return None if a is None or b is None else max(a, b)

    return MotionLimits(
        new.velocity, larger(new.acceleration, old.acceleration), larger(new.jerk, old.jerk)
    )


def _stepped(
    state: MotionState, goal: Sequence[float], motion: Sequence[MotionLimits], dt: float
) -> MotionState:
    """Return the state after a step towards a goal within limits on velocity alone.

    The joint that needs longest moves at its limit, the others as much slower as makes them arrive
    with it; those without a limit keep step.
    """
    way = [g - p for g, p in zip(goal, state.positions, strict=True)]
    duration = max(
        abs(w) / m.velocity if m.velocity is not None else 0.0
        for w, m in zip(way, motion, strict=True)
    )
    if duration <= dt:
        return MotionState.at_rest(goal)
    velocities = tuple(w / duration for w in way)
    return MotionState(
        tuple(p + v * dt for p, v in zip(state.positions, velocities, strict=True)),
        velocities,
        (0.0,) * len(velocities),
    )


def _are_within(
    bounds: Sequence[tuple[float, float]], ranges: Sequence[tuple[float, float]]
) -> bool:
    return all(
        lower - _ROUNDING <= lowest and highest <= upper + _ROUNDING
        for (lower, upper), (lowest, highest) in zip(bounds, ranges, strict=True)
    )


def _held_to(bounds: Sequence[tuple[float, float]], state: MotionState) -> MotionState:
    """Take off the rounding that a position may be beyond its bounds."""
    positions = tuple(
        min(max(p, lower), upper) for p, (lower, upper) in zip(state.positions, bounds, strict=True)
    )
    return MotionState(positions, state.velocities, state.accelerations)
