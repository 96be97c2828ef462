"""The commanded pose on its way to the solved one.

Positions are in rad, those of joints that slide in m, and so are velocities and accelerations.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ik2d_ros.arm.description import ArmDescription, MotionLimits
from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.clearance import StopCheck
from ik2d_ros.kinematics.walls import Contact
from ik2d_ros.motion import smooth
from ik2d_ros.motion.ride import Ride
from ik2d_ros.motion.smooth import Plan, Progress
from ik2d_ros.motion.state import ROUNDING, MotionState
from ik2d_ros.motion.step import are_within, braking, held_to, safe_speed, slowed, stepped
from ik2d_ros.motion.stream import Stream
from ik2d_ros.motion.way import Way

# The arm must be faster than the stream, to catch up with it.
FASTEST_STREAM = 0.9  # of the velocity limit

PARTS = (1.0, 0.5, 0.25, 0.125)  # of a step, to be tried in turn next to a wall


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

    Walls are kept off by one rule, whatever it is told: a step is made only if a stop follows that
    brings nothing across, nor further across than it is. Else the arm goes on with the stop that
    was found one step before. If it stands then, or was on a way, it gives up its goal.

    Attributes:
        state: the last command.
        pace: the largest rate at which the time of a way passes, above 0 and at most 1.
        blocked: what would have come across a wall, if that is why it stands; else None.
    """

    def __init__(self, arm: ArmDescription, pace: float = 1.0) -> None:
        """Start at rest, at the arm's home; ``pace`` is as of :meth:`configure`."""
        self.pace, self._arm = pace, arm
        self._motion = self._next = slowed(arm.motion, pace)  # the latter once the arm stands
        self._time = self._dt = 0.0  # s, and of the last step
        self._stream = Stream()
        self.state = MotionState.at_rest(arm.home)
        self._goal = self.state.positions
        self._progress: Progress | None = None  # towards the goal
        self._ride: Ride | None = None
        self._velocities: tuple[float, ...] | None = None  # at which it is steered
        self.blocked: Contact | None = None
        self._braking: tuple[MotionState, Plan | None] = self.state, None  # from the last state
        self._check = StopCheck.at(arm.kinematics, self._goal)
        self._stop: Progress | Ride | None = None  # that keeps off walls; None to stand at once
        self._stop_step = 0.0  # s between commands on it
        self._gives_up = False  # and goes on with that stop
        self._across = self._goal  # the pose that was refused last

    @property
    def takes_time(self) -> bool:
        """Whether motions take time; without motion limits the arm is at its goal at once."""
        return any(limits != MotionLimits() for limits in self._motion)

    @property
    def is_smooth(self) -> bool:
        """Whether there are limits on acceleration."""
        return smooth.is_needed(self._motion)

    @property
    def stops(self) -> list[tuple[float, float]]:
        """(m,) smallest and largest position of each joint if it brakes."""
        return self._stops(self.state)

    @property
    def goal(self) -> tuple[float, ...]:
        """(m,) the pose at which it comes to rest: on a way, the last one."""
        if self._velocities is not None:
            return self.state.positions
        return self._ride.way.end if self._ride else self._goal

    @property
    def arrived(self) -> bool:
        """Whether the arm is at the goal, at rest."""
        is_there = self.state.positions == self.goal and self.state.is_at_rest
        is_there = is_there and self._velocities is None
        return is_there and (self._ride is None or self.way_time == self._ride.way.duration)

    @property
    def way_time(self) -> float | None:
        """Time along a way in s, negative before it leaves the first pose; None without a way."""
        ride = self._stop if self._gives_up else self._ride
        return ride.time if isinstance(ride, Ride) else None

    def configure(self, arm: ArmDescription, pace: float = 1.0) -> None:
        """Take over an arm with the same joints and other limits, which is slowed to a pace.

        A joint that is faster than a new limit brakes to it, with what it may until then: a smaller
        acceleration or jerk counts once the arm stands. A goal outside new position limits moves to
        the limit. A way, which other limits may not allow, is the caller's to end.
        """
        limits, motion = (self._arm.limits, self._next), slowed(arm.motion, pace)
        self.pace, self._arm = pace, arm
        if arm.kinematics != self._check.arm:
            self._face(arm.kinematics)
        if (arm.limits, motion) == limits:
            return
        self._next, before = motion, self._motion
        self._braking, self._progress = (MotionState.at_rest(()), None), None
        is_at_rest = self.state.is_at_rest
        self._motion = motion if is_at_rest else tuple(map(braking, motion, before))
        if self._ride is None and not self._gives_up:
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
        is_pose = self._velocities is None and self._ride is None and not self._gives_up
        if tuple(goal) != self.goal or self.blocked or not is_pose:
            self._head_for(goal)

    def steer(self, velocities: Sequence[float]) -> None:
        """Move at velocities until it is told otherwise; joints slow down before their limits.

        Args:
            velocities: (m,) rad/s.
        """
        self._stream.clear()
        self._forget()
        self._velocities = tuple(velocities)

    def follow(self, way: Way) -> None:
        """Go to the first pose of a way, stand there for ``PAUSE``, and go along it."""
        if self._ride is None or way is not self._ride.way:
            self.aim(way.start)
            self._ride = Ride(way).beside(self._check.arm)

    def advance(self, dt: float, elapsed: float = 0.0) -> MotionState:
        """Return the state some time later.

        Args:
            dt: s by which the motion goes on, if positive.
            elapsed: s since the last step, if more: a stream of goals goes on by that.
        """
        return self._make(self._go_on, dt, elapsed)

    def wait(self, dt: float, elapsed: float = 0.0) -> MotionState:
        """Return the state some time later if the arm brakes, and keeps its goal.

        Args:
            dt: s, positive.
            elapsed: as of :meth:`advance`.
        """
        return self._make(self._slow_down, dt, elapsed)

    def clamped(self, positions: Sequence[float]) -> tuple[float, ...]:
        """Clamp (m,) positions to the limits."""
        return self._arm.clamped(positions)

    def place(self, positions: Sequence[float]) -> None:
        """Put the arm at rest somewhere, which is then its goal.

        Args:
            positions: (m,); may be outside the limits, and is then walked back by the next
                motion.
        """
        self.state = MotionState.at_rest(positions)
        self._give_up()
        self._check = StopCheck.at(self._check.arm, positions)

    def halt(self) -> None:
        """Brake as fast as limits and walls allow; the goal is where the arm stops."""
        if not (self._gives_up or self._stops_along_way):
            self._finds_stop()  # else the one before counts
        self._give_up()

    # --- what a step is allowed to be -------------------------------------------------------------

    def _face(self, arm: Arm) -> None:
        """Keep off the walls of an arm from now on; where nothing else is known, it can only brake.

        A stop that was found beside other walls counts where none keeps off these.
        """
        had_walls = bool(self._check.arm.walls)
        self._check = StopCheck.at(arm, self.state.positions)
        if not (self._stops_along_way or self._finds_stop() or had_walls):
            stop = self._brakes(self.state)
            self._stop = Progress(stop) if stop else None
        self._ride = self._ride and self._ride.beside(arm)

    def _make(self, step: Callable[[float], None], dt: float, elapsed: float) -> MotionState:
        """Make a step if a stop follows; else go on with the stop that was found before."""
        if self.state.is_at_rest:
            self._motion, self._stop = self._next, None
        self._time += max(elapsed, dt, 0.0)
        if not dt > 0.0:
            return self.state
        self._dt = dt
        before, ride = self.state, self._ride
        is_on_way = ride is not None and ride.has_begun
        is_leaving = self._stops_along_way and not is_on_way
        tries = [(step, part * dt) for part in PARTS]
        if self.is_smooth:
            tries[1:] = [(self._slow_down, dt)] * is_on_way
        for each, span in () if self._gives_up or is_leaving else tries:
            each(span)
            if self.state is before or self._can_stop(dt, before.positions):
                return self.state
            self.state, self._ride = before, ride
        self._progress = None
        if before.is_at_rest or is_on_way:
            self._stand_blocked()
        self._go_on_stopping(dt)
        return self.state

    def _go_on_stopping(self, dt: float) -> None:
        stop = self._stop
        if isinstance(stop, Ride):
            self._stop = stop = stop.after(dt, self._motion)
            self.state = stop.state
        elif stop is not None:
            after = stop.after(dt)
            if self._check.gap(after.state.positions) < -self._check.arm.clearance_tolerance:
                # An odd tick: only where the stop was looked at it is sure to keep off.
                time = max(stop.time, after.time // self._stop_step * self._stop_step)
                after = stop._replace(time=time)
            self._stop = after
            self.state = held_to(self._bounds(), after.state)
        else:
            self.state = MotionState.at_rest(self.state.positions)
        if self.state.is_at_rest:
            # Walls that it got on its way may be behind it.
            self._check = StopCheck.at(self._check.arm, self.state.positions)
            if self._gives_up:
                self._gives_up, self._goal = False, self.state.positions

    def _can_stop(self, dt: float, before: Sequence[float]) -> bool:
        """Return whether it keeps off walls from the command before to a stop, and note how."""
        ride, walls = self._ride, self._check.arm.walls
        if ride is not None and ride.has_begun and (walls or self._has_jerk):
            here = self.state.positions
            if ride.stops_clear(dt, self._motion) and not (
                walls and self._check.collision(before, here, None, dt)
            ):
                self._stop = ride
                return True
            if self._has_jerk:
                self._across = ride.way.at(ride.clear_until).positions
                return False
        return not walls or self._finds_stop(before)

    def _finds_stop(self, before: Sequence[float] | None = None) -> bool:
        """Find a way to stop that keeps off walls, and note it; return False if there is none.

        What has come back from across may swing as it stops, but no further than it was before.
        """
        here = self.state.positions
        after = self._check.after(here)
        for check in (after,) if after is self._check else (after, self._check):
            for plan in self._ways_to_stop():
                stop = smooth.stop_of(plan, self.state, self._motion) if plan else None
                across = check.collision(before, here, stop, self._dt)
                self._stop_step = self._dt
                if across is None:
                    self._stop, self._check = Progress(plan) if plan else None, check
                    return True
                self._across = tuple(across)
        return False

    def _ways_to_stop(self) -> Iterator[Plan | None]:
        """Yield the fastest way to a stop, then that of all joints in step.

        With jerk limits, the latter may be faster than the arm.
        """
        yield (fastest := self._brakes(self.state))
        if fastest is not None and not self._has_jerk:
            stop = smooth.steer(self.state, (0.0,) * len(self.goal), self._motion)
            if stop is not None and are_within(self._bounds(), stop.range):
                yield stop

    def _stand_blocked(self) -> None:
        across = self._across
        self.halt()
        self.blocked = self._check.arm.contact(across)

    def _give_up(self) -> None:
        """Have no goal but where it comes to rest."""
        self._forget()
        self._stream = Stream()
        stop = None if self.state.is_at_rest else self._stop
        if stop is None:
            self.state = MotionState.at_rest(self.state.positions)
            self._goal = self.state.positions
        elif isinstance(stop, Ride):
            self._goal = stop.stopped(self._dt, self._motion).state.positions
        else:
            self._goal = stop.plan.goal
        self._stop, self._gives_up = stop, stop is not None

    def _forget(self) -> None:
        """Have nothing to do."""
        self._progress = self._ride = self._velocities = self.blocked = None
        self._gives_up = False

    def _head_for(self, goal: Sequence[float]) -> None:
        self._forget()
        self._goal = tuple(goal)
        # A target that is sent again is solved anew, and no two solutions are equal to the bit.
        if not self.takes_time or self._is_at(goal):
            before, self.state = self.state, MotionState.at_rest(goal)
            if not self._finds_stop():
                self.state = before
                self._stand_blocked()

    # --- steps ------------------------------------------------------------------------------------

    @property
    def _has_jerk(self) -> bool:
        return any(m.jerk for m in self._motion)

    @property
    def _stops_along_way(self) -> bool:
        """Whether it must slow down along a way: jerk limits allow no other stop there."""
        return isinstance(self._stop, Ride) and self._has_jerk

    def _go_on(self, dt: float) -> None:
        """Go on by a step as it is told."""
        ride = self._ride
        if ride is not None and (ride.has_begun or self._is_at(ride.way.start)):
            self._go_along(ride, dt, self.pace)
        elif self._velocities is not None:
            self._go_at(self._velocities, dt)
        elif self.is_smooth:
            self._move(dt)
        elif not self.arrived:
            self._step(dt)

    def _slow_down(self, dt: float) -> None:
        """Brake for a step."""
        if self._ride is not None and self._ride.has_begun:
            self._go_along(self._ride, dt, 0.0)
        else:
            self._progress, self.state = None, self._braked(dt)

    def _go_along(self, ride: Ride, dt: float, rate: float) -> None:
        self._ride = ride.after(dt, self._motion, rate)
        self.state = self._ride.state

    def _is_at(self, pose: Sequence[float]) -> bool:
        """Return whether the arm stands at a pose, but for rounding."""
        return self.state.is_at_rest and all(
            abs(q - p) <= ROUNDING for q, p in zip(pose, self.state.positions, strict=True)
        )

    def _fastest(self) -> NDArray[np.float64]:
        """Return (m,) velocity limits."""
        limits = [m.velocity for m in self._motion]
        return np.array([math.inf if limit is None else limit for limit in limits])

    def _go_at(self, velocities: Sequence[float], dt: float) -> None:
        """Go on by a step towards velocities."""
        wanted = tuple(
            map(
                partial(safe_speed, dt),
                velocities,
                self.state.positions,
                self.state.velocities,
                self._motion,
                self._arm.limits,
            )
        )
        bounds = self._bounds()
        if not self.is_smooth:
            there = tuple(q + v * dt for q, v in zip(self.state.positions, wanted, strict=True))
            self.state = held_to(bounds, MotionState(there, wanted, (0.0,) * len(wanted)))
        else:
            begin, self.state = self.state, self._braked(dt)
            for in_step in (True, False) if any(wanted) else (False,):
                plan = smooth.steer(begin, wanted, self._motion, in_step)
                if plan and self._stops_within(bounds, state := plan.at(dt)):
                    self.state = held_to(bounds, state)
                    break

    def _step(self, dt: float) -> None:
        """Go on by a step within limits on velocity alone."""
        motion = self._stream.motion(self._time, self._time)
        if motion is None:
            self.state = stepped(self.state, self._goal, self._motion, dt)
            return
        before, goal = self.state.positions, self._arm.clamped(motion[0].tolist())
        state = stepped(self.state, goal, self._motion, dt)
        speed = tuple((q - p) / dt for p, q in zip(before, state.positions, strict=True))
        self.state = MotionState(state.positions, speed, state.accelerations)

    def _move(self, dt: float) -> None:
        """Go on by a step within limits on acceleration."""
        goal, drift = self._followed(dt) or (self._goal, (0.0,) * len(self._goal))
        if goal == self._goal and not any(drift) and self.arrived:
            return
        bounds = self._bounds()
        for progress in self._ways_to(goal, drift):
            after = progress.after(dt)
            if self._stops_within(bounds, state := after.state):
                self._progress, self.state = after, held_to(bounds, state)
                return
        self._progress, self.state = None, self._braked(dt)

    def _ways_to(self, goal: Sequence[float], drift: Sequence[float]) -> Iterator[Progress]:
        """Yield motions to a goal, the best first, as far as they have gone."""
        now = None if any(drift) else self._progress
        if now is not None and (now.plan.goal, now.plan.drift) == (goal, drift):
            yield now
        for in_step in (True, False):
            plan = smooth.plan(self.state, goal, drift, self._motion, in_step)
            if plan is not None:
                yield Progress(plan)

    def _followed(self, dt: float) -> tuple[tuple[float, ...], tuple[float, ...]] | None:
        """Return the place and velocity of the stream of goals, if there is one to follow."""
        motion = self._stream.motion(self._time - dt, self._time)
        if motion is None:
            return None
        goal = self._arm.clamped(motion[0].tolist())
        speed = np.abs(motion[1])
        slower = float(np.max(speed / self._fastest(), initial=0.0)) / FASTEST_STREAM
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
                lowest if lowest < lower - ROUNDING else lower,
                highest if highest > upper + ROUNDING else upper,
            )
            for (lower, upper), (lowest, highest) in zip(
                self._arm.limits, self._stops(self.state), strict=True
            )
        ]

    def _stops_within(self, bounds: Sequence[tuple[float, float]], state: MotionState) -> bool:
        return are_within(bounds, self._stops(state))

    def _stops(self, state: MotionState) -> list[tuple[float, float]]:
        """Return the smallest and largest position of each joint if it brakes."""
        plan = self._brakes(state)
        return plan.range if plan else [(p, p) for p in state.positions]

    def _braked(self, dt: float) -> MotionState:
        """Return the state a step later if the arm brakes."""
        brakes, stands = self._brakes(self.state), MotionState.at_rest(self.state.positions)
        state = held_to(self._bounds(), brakes.at(dt) if brakes else stands)
        # Limits near the smallest or the largest number that there is may give nonsense.
        return state if state.is_finite else stands

    def _brakes(self, state: MotionState) -> Plan | None:
        """Return the way to a stop; None if that is here."""
        if self._braking[0] != state:
            moves, still = self.is_smooth and not state.is_at_rest, (0.0,) * len(self.goal)
            plan = smooth.steer(state, still, self._motion, in_step=False) if moves else None
            self._braking = state, plan
        return self._braking[1]
