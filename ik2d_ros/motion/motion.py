"""How joints move: immutable motions, each of which returns the next.

Positions are in rad, those of joints that slide in m, and so are velocities and accelerations.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, NamedTuple, TypeVar

import numpy as np

from ik2d_ros.kinematics import Arm
from ik2d_ros.kinematics.clearance import StopCheck
from ik2d_ros.kinematics.plane import Contact
from ik2d_ros.motion.goal_stream import NO_STREAM, GoalStream
from ik2d_ros.motion.limits import Limits, Range, are_within, clip
from ik2d_ros.motion.profile import Profile, ProfileProgress
from ik2d_ros.motion.state import ROUNDING, MotionState, Positions
from ik2d_ros.motion.trajectory import Trajectory, TrajectoryProgress

# The arm must be faster than the stream, to catch up with it.
FASTEST_STREAM = 0.9  # of the velocity limit

PARTS = (1.0, 0.5, 0.25, 0.125)  # of a step, to be tried in turn next to a wall

M = TypeVar('M', bound='Motion')


class Collision(NamedTuple):
    """What keeps a motion from a step: (n,) positions at which the joints are across a wall."""

    positions: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Motion:
    """A motion of joints within their limits, at one moment.

    With limits on acceleration, two rules hold for the motion after any step:

    * Each joint can stop inside its position limits. Where a profile would break that, the joints
      brake instead. A joint that begins outside its limits goes no further out than braking takes
      it.
    * It begins where the last one ended: at the same position and velocity, and, with jerk limits,
      at the same acceleration.

    Walls are kept off by one rule: a step is made only if a stop follows that brings nothing
    across, nor further across than it is. Else the arm goes on with the stop that was found one
    step before. If it stands then, or was on a trajectory, it gives up its goal.
    """

    limits: Limits
    state: MotionState
    check: StopCheck | None = None  # against walls; None without walls
    # How far it is on the way to a stop, as that was found last; None to stand at once.
    stop: ProfileProgress | TrajectoryProgress | None = None
    time: float = 0.0  # s that have passed, by which goals of a stream are timed
    tick: float = 0.0  # s of the last step, at whose multiples a stop is checked
    progress: TrajectoryProgress | None = None  # along a trajectory, or on the way to its start

    @property
    def goal(self) -> Positions:
        """(n,) where it comes to rest: on a trajectory, its end; at velocities, where it is."""
        return self.progress.trajectory.end if self.progress else self.state.positions

    @property
    def has_arrived(self) -> bool:
        """Whether it is at its goal, at rest."""
        is_there = self.state.is_at_rest and self.state.positions == self.goal
        return is_there and (
            self.progress is None or self.progress.time == self.progress.trajectory.duration
        )

    @property
    def trajectory_time(self) -> float | None:
        """Time along a trajectory in s, negative before its first pose is left; None without."""
        return self.progress.time if self.progress else None

    @property
    def blocked(self) -> Contact | None:
        """What would have come across a wall, if that is why it stops or stands; else None."""
        return None

    @property
    def stream(self) -> GoalStream:
        """The newest goals of the stream that it follows."""
        return NO_STREAM

    @property
    def braking_ranges(self) -> list[Range]:
        """(n,) smallest and largest position of each joint if it brakes."""
        profile = self._brake
        return profile.range if profile else [(q, q) for q in self.state.positions]

    # --- as time passes ---------------------------------------------------------------------------

    def after(self, dt: float, elapsed: float = 0.0, is_held_back: bool = False) -> Motion:
        """Return the motion some time later.

        Args:
            dt: s by which it goes on, above 0.
            elapsed: s since the last step, if more: a stream of goals goes on by that.
            is_held_back: whether it brakes, and keeps its goal.
        """
        here = replace(self, time=self.time + max(elapsed, dt), tick=dt)
        if self.state.is_at_rest:
            limits = replace(self.limits, active=self.limits.pending)
            here = replace(here, limits=limits, stop=None)
        collision = None
        for there in here._candidates(dt, is_held_back):
            if there.state is here.state:  # nothing moves
                return there
            found = there._checked(here.state.positions)
            if isinstance(found, Motion):
                return found
            collision = found
        if collision and (here.state.is_at_rest or isinstance(here, AlongTrajectory)):
            here = here._blocked_by(collision)
        return here._further_on_stop(dt)

    def _candidates(self, dt: float, is_held_back: bool) -> Iterator[Motion]:
        """Yield motions to be tried as the next, best first; none while it goes on with its stop.

        With jerk limits, a motion that leaves a trajectory comes to rest along that first.
        """
        leaves_trajectory = self._stops_along_trajectory and not isinstance(self, AlongTrajectory)
        if leaves_trajectory or isinstance(self, Stopping):
            return
        for part in (1.0,) if self.limits.has_acceleration else PARTS:
            yield self._braked(part * dt) if is_held_back else self._stepped(part * dt)

    def _stepped(self, dt: float) -> Motion:
        """Return it a step later, wherever walls are."""
        raise NotImplementedError

    def _braked(self, dt: float) -> Motion:
        """Return it a step later if the joints brake."""
        brake, stands = self._brake, MotionState.at_rest(self.state.positions)
        state = clip(self._bounds, brake.at(dt) if brake else stands)
        # Limits near the smallest or the largest number that there is may give nonsense.
        return self._moved(state if state.is_finite else stands)

    def _further_on_stop(self, dt: float) -> Motion:
        """Return it a step further on its stop."""
        stop = self.stop
        if isinstance(stop, TrajectoryProgress):
            stop = stop.after(dt, self.limits.active)
            state = stop.state
        elif stop is not None:
            before, stop = stop.time, stop.after(dt)
            next_state, check = stop.state, self.check
            if check and check.gap(next_state.positions) < -check.arm.clearance_tolerance:
                # This tick is of another length: the stop was checked at multiples of its step.
                checked = math.floor(stop.time / stop.step + ROUNDING) * stop.step
                next_state = stop._replace(time=checked).state if checked > before else self.state
            state = clip(self._bounds, next_state)
        else:
            state = MotionState.at_rest(self.state.positions)
        there = replace(self._moved(state), stop=stop)
        if self.check and state.is_at_rest:  # walls that came up in mid-motion may be behind it
            there = replace(there, check=StopCheck.at(self.check.arm, state.positions))
        return there

    # --- other motions from here ------------------------------------------------------------------

    def to(self, pose: Sequence[float], since: float | None = None) -> Motion:
        """Return the motion to a pose.

        Args:
            pose: (n,) inside the limits.
            since: s from the last step to the arrival of this goal, if it is one of a stream of
                goals that the arm follows as it moves; None for a single goal.
        """
        return self._towards(tuple(pose), self._stream_with(pose, since))

    def at_velocities(self, velocities: Sequence[float]) -> AtVelocity:
        """Return the motion at (n,) velocities in rad/s; joints slow down before their limits."""
        return self._become(AtVelocity, velocities=tuple(velocities))

    def along(self, trajectory: Trajectory) -> Motion:
        """Return the motion to the first pose of a trajectory, ``PAUSE`` there, and along it.

        If it is on its way along that one already, it goes on.
        """
        if self.progress and self.progress.trajectory is trajectory:
            return self
        there, progress = self.to(trajectory.start), TrajectoryProgress(trajectory)
        if not isinstance(there, ToPose):  # without motion limits, where a wall is in the way
            return there
        if self.check:
            progress = progress.beside(self.check.arm)
        return replace(there, progress=progress)

    def reset(self, positions: Sequence[float]) -> Stopping:
        """Return the joints at rest at (n,) positions, also outside the limits."""
        state = MotionState.at_rest(positions)
        check = self.check and StopCheck.at(self.check.arm, positions)
        return self._become(Stopping, state=state, stop=None, check=check)

    def stopping(self) -> Stopping:
        """Return the motion that brakes as fast as limits and walls allow."""
        found = self if self._stops_along_trajectory else self._with_stop()
        here = found if isinstance(found, Motion) else self  # with the stop of the step before
        if here.state.is_at_rest or here.stop is None:
            here = replace(here, state=MotionState.at_rest(here.state.positions), stop=None)
        return here._become(Stopping)

    def with_limits(self, limits: Limits, arm: Arm | None = None) -> Motion:
        """Return the motion within other limits of the same joints, beside the walls of an arm.

        A joint that is faster than a new limit brakes to it, with what it may until then. A goal
        outside new position limits moves to the limit; joints that move at velocities go on, unless
        they are outside. A trajectory, which other limits may not allow, is the caller's to end.
        """
        before = self.limits
        kept = replace(limits, active=before.active, pending=before.pending)
        here = replace(self, limits=kept)
        if arm and (arm.walls or self.check) and arm != (self.check and self.check.arm):
            here = here._with_walls_of(arm)
        if (limits.ranges, limits.pending) == (before.ranges, before.pending):
            return here
        here = replace(here, limits=limits if self.state.is_at_rest else before.braking_to(limits))
        goal = limits.clamped(here.goal)
        is_stopping = isinstance(here, Stopping) and not here.state.is_at_rest
        if is_stopping or (isinstance(here, AtVelocity) and goal == here.goal):
            return here
        return here._moved(self.state) if here.progress else here._towards(goal, here.stream)

    def _stream_with(self, pose: Sequence[float], since: float | None) -> GoalStream:
        """Return the stream of goals that goes on with one that came so many s after the step."""
        if since is None:
            return NO_STREAM
        return self.stream.followed_by(self.time + since, pose, self.limits.velocities)

    def _become(self, kind: type[M], **changes: Any) -> M:
        """Return a motion of another kind from here."""
        here = {'state': self.state, 'stop': self.stop, 'check': self.check}
        return kind(limits=self.limits, time=self.time, tick=self.tick, **here | changes)

    def _moved(self, state: MotionState) -> Motion:
        return replace(self, state=state)

    def _towards(self, pose: Positions, stream: GoalStream) -> Motion:
        """Return the motion to a pose from here, or where it is blocked on the way."""
        # A target that is sent again is solved anew, and no two solutions are equal to the bit.
        if self.limits.takes_time and not self._is_at(pose):
            return self._become(ToPose, pose=pose, stream=stream)
        there = MotionState.at_rest(pose)
        motion = self._become(ToPose, pose=pose, stream=stream, state=there, stop=None)
        found = motion._with_stop() if self.check else motion
        if isinstance(found, Motion):
            return found
        return self._become(ToPose, pose=pose, stream=stream)._blocked_by(found)

    def _blocked_by(self, collision: Collision) -> Stopping:
        """Return the motion that stops, as a collision is in the way."""
        assert self.check is not None  # noqa: S101  # it has found them
        return replace(self.stopping(), blocked=self.check.arm.contact(collision.positions))

    # --- walls ------------------------------------------------------------------------------------

    @property
    def _stops_along_trajectory(self) -> bool:
        """Whether it stops along a trajectory alone: with jerk limits, no other stop is tried."""
        return isinstance(self.stop, TrajectoryProgress) and self.limits.has_jerk

    def _with_walls_of(self, arm: Arm) -> Motion:
        """Return it beside the walls of an arm; where no stop is known, it can only brake.

        A stop that was found beside other walls counts where none keeps off these.
        """
        progress = self.progress.beside(arm) if self.progress else None
        here = replace(self, check=_stop_check(arm, self.state.positions), progress=progress)
        if here._stops_along_trajectory:
            return here
        found = here._with_stop()
        if isinstance(found, Motion):
            return found
        return here if self.check else replace(here, stop=here._as_stop(here._brake))

    def _checked(self, before: Sequence[float]) -> Motion | Collision:
        """Return it with a stop that keeps off walls, as of :meth:`_with_stop`."""
        return self._with_stop(before) if self.check else self

    def _with_stop(self, before: Sequence[float] | None = None) -> Motion | Collision:
        """Return it with a stop that keeps off walls, or the collision of the last one tried.

        What was across a wall is to come no further than it has come back or, if no stop does
        that, than it was before.

        Args:
            before: (n,) the command before; None if the way from there does not matter.
        """
        if self.check is None:
            fastest = self._as_stop(self._brake)
            return self if fastest is self.stop else replace(self, stop=fastest)
        here = across = self.state.positions
        limits, checks = self.limits.active, [self.check]
        if not self.check.was_clear:  # the command before may be further across
            if before is not None and (found := self.check.between(before, here)):
                return Collision(tuple(found))
            checks, before = [self.check.after(here), self.check], None
        for check in checks:
            for profile in self._ways_to_stop():
                stop = profile.as_stop(self.state, limits) if profile else None
                found = check.collision(before, here, stop, self.tick)
                if found is None:
                    return replace(self, stop=self._as_stop(profile), check=check)
                across = tuple(found)
        return Collision(across)

    def _as_stop(self, profile: Profile | None) -> ProfileProgress | None:
        return ProfileProgress(profile, step=self.tick) if profile else None

    def _ways_to_stop(self) -> Iterator[Profile | None]:
        """Yield the fastest way to a stop, then that of all joints in step.

        With jerk limits, the latter may be faster than the arm.
        """
        yield (fastest := self._brake)
        if fastest is not None and not self.limits.has_jerk:
            still = (0.0,) * len(self.state.positions)
            stop = Profile.to_velocities(self.state, still, self.limits.active)
            if stop is not None and are_within(self._bounds, stop.range):
                yield stop

    # --- limits -----------------------------------------------------------------------------------

    @cached_property
    def _brake(self) -> Profile | None:
        """The fastest stop; None if the joints may stand at once."""
        return self.limits.brake(self.state)

    @property
    def _bounds(self) -> list[Range]:
        """How far each joint may go: to its limits, or as far beyond as braking takes it."""
        return [
            (
                lowest if lowest < lower - ROUNDING else lower,
                highest if highest > upper + ROUNDING else upper,
            )
            for (lower, upper), (lowest, highest) in zip(
                self.limits.ranges, self.braking_ranges, strict=True
            )
        ]

    def _within_bounds(self, there: Motion) -> Motion | None:
        """Return a motion a step later, clipped to the bounds; None if it cannot stop inside."""
        bounds = self._bounds
        if not are_within(bounds, there.braking_ranges):
            return None
        state = clip(bounds, there.state)
        return there if state is there.state else replace(there, state=state)

    def _is_at(self, pose: Sequence[float]) -> bool:
        """Return whether the joints stand at a pose, but for rounding."""
        return self.state.is_at_rest and all(
            abs(q - p) <= ROUNDING for q, p in zip(pose, self.state.positions, strict=True)
        )


@dataclass(frozen=True, kw_only=True)
class ToPose(Motion):
    """A motion to an (n,) pose, or with the newest goals of a stream."""

    pose: Positions
    profile: ProfileProgress | None = None  # None before one is planned
    stream: GoalStream = NO_STREAM

    @property
    def goal(self) -> Positions:
        """(n,) where it comes to rest."""
        return super().goal if self.progress else self.pose

    def to(self, pose: Sequence[float], since: float | None = None) -> Motion:
        """Return the motion to a pose; that to the same one goes on."""
        if tuple(pose) != self.pose or self.progress:
            return super().to(pose, since)
        return replace(self, stream=self._stream_with(pose, since))

    def _moved(self, state: MotionState) -> ToPose:
        return replace(self, state=state, profile=None)

    def _stepped(self, dt: float) -> Motion:
        if self.progress and self._is_at(self.pose):
            return self._become(AlongTrajectory, progress=self.progress)._stepped(dt)
        if self.limits.has_acceleration:
            return self._smoothly(dt)
        if self.has_arrived:
            return self
        place = self.stream.moving_goal(self.time, self.time)
        if place is None:
            return self._moved(self.limits.step_to(self.state, self.pose, dt))
        before, goal = self.state.positions, self.limits.clamped(place[0].tolist())
        state = self.limits.step_to(self.state, goal, dt)
        speed = tuple((q - p) / dt for p, q in zip(before, state.positions, strict=True))
        return self._moved(state._replace(velocities=speed))

    def _smoothly(self, dt: float) -> Motion:
        """Return it a step later within limits on acceleration."""
        goal, drift = self._followed(dt) or (self.pose, (0.0,) * len(self.pose))
        if goal == self.pose and not any(drift) and self.has_arrived:
            return self
        for profile in self._profiles(goal, drift):
            after = profile.after(dt)
            there = self._within_bounds(replace(self, state=after.state, profile=after))
            if there is not None:
                return there
        return self._braked(dt)

    def _profiles(self, goal: Positions, drift: tuple[float, ...]) -> Iterator[ProfileProgress]:
        """Yield profiles to a goal, the best first, as far as they have been followed."""
        now = None if any(drift) else self.profile
        if now is not None and (now.profile.goal, now.profile.drift) == (goal, drift):
            yield now
        for in_step in (True, False):
            profile = Profile.to_goal(self.state, goal, drift, self.limits.active, in_step)
            if profile is not None:
                yield ProfileProgress(profile)

    def _followed(self, dt: float) -> tuple[Positions, tuple[float, ...]] | None:
        """Return the place and velocity of the stream of goals, if there is one to follow."""
        found = self.stream.moving_goal(self.time - dt, self.time)
        if found is None:
            return None
        limits = self.limits
        goal, speed = limits.clamped(found[0].tolist()), np.abs(found[1])
        slower = float(np.max(speed / limits.velocities, initial=0.0)) / FASTEST_STREAM
        drift = tuple((found[1] / max(slower, 1.0)).tolist())
        # 0 for joints that could not stop inside their limits.
        there = MotionState.at_rest(goal)._replace(velocities=drift)
        brake = limits.brake(there)
        stops = brake.range if brake else [(q, q) for q in goal]
        return goal, tuple(
            v if lower <= lowest and highest <= upper else 0.0
            for v, (lowest, highest), (lower, upper) in zip(
                drift, stops, limits.ranges, strict=True
            )
        )


@dataclass(frozen=True, kw_only=True)
class AlongTrajectory(Motion):
    """A motion along a trajectory.

    The rate at which its time passes changes no faster than the limits on acceleration allow: it
    waits, slows down and goes on without leaving the trajectory. With jerk limits, which no
    trajectory keeps, it leaves one only at rest.
    """

    progress: TrajectoryProgress

    def _candidates(self, dt: float, is_held_back: bool) -> Iterator[Motion]:
        yield from super()._candidates(dt, is_held_back)
        # At rest it would wait for ever.
        if self.limits.has_acceleration and not (is_held_back or self.state.is_at_rest):
            yield self._braked(dt)

    def _stepped(self, dt: float) -> Motion:
        return self._at_rate(self.limits.scaling, dt)

    def _braked(self, dt: float) -> Motion:
        return self._at_rate(0.0, dt)

    def _at_rate(self, rate: float, dt: float) -> AlongTrajectory:
        progress = self.progress.after(dt, self.limits.active, rate)
        return replace(self, progress=progress, state=progress.state)

    def _checked(self, before: Sequence[float]) -> Motion | Collision:
        check = self.check
        if not (check or self.limits.has_jerk):
            return self
        here = self.state.positions
        progress, limits = self.progress, self.limits.active
        until = progress.clear_until
        is_clear = until == math.inf or progress.stopped(self.tick, limits).time <= until
        found = check.collision(before, here, None, self.tick) if check else None
        if is_clear and not found:
            return replace(self, stop=progress)
        if self.limits.has_jerk:
            return Collision(tuple(found or progress.trajectory.at(until).positions))
        return self._with_stop(before)


@dataclass(frozen=True, kw_only=True)
class AtVelocity(Motion):
    """A motion at (n,) velocities in rad/s."""

    velocities: tuple[float, ...]

    @property
    def has_arrived(self) -> bool:
        """Whether it is at its goal: never, as it has none."""
        return False

    def _stepped(self, dt: float) -> Motion:
        wanted = self.limits.safe_velocities(self.state, self.velocities, dt)
        state = self.state
        if not self.limits.has_acceleration:
            there = tuple(q + v * dt for q, v in zip(state.positions, wanted, strict=True))
            return self._moved(clip(self._bounds, MotionState(there, wanted, (0.0,) * len(wanted))))
        for in_step in (True, False) if any(wanted) else (False,):
            profile = Profile.to_velocities(state, wanted, self.limits.active, in_step)
            if profile and (moved := self._within_bounds(self._moved(profile.at(dt)))):
                return moved
        return self._braked(dt)


@dataclass(frozen=True, kw_only=True)
class Stopping(Motion):
    """A motion along its stop, or joints that stand."""

    blocked: Contact | None = None  # what would have come across a wall, if that is why

    @cached_property
    def goal(self) -> Positions:
        """(n,) where it comes to rest."""
        if isinstance(self.stop, TrajectoryProgress):
            return self.stop.stopped(self.tick, self.limits.active).state.positions
        return self.stop.profile.goal if self.stop else self.state.positions

    @property
    def trajectory_time(self) -> float | None:
        """Time along the trajectory on which it stops, in s; None if on none."""
        return self.stop.time if isinstance(self.stop, TrajectoryProgress) else None

    def stopping(self) -> Stopping:
        """Return the motion that stops on demand, no more because of a wall."""
        return super().stopping() if self.state.is_at_rest else replace(self, blocked=None)

    def _further_on_stop(self, dt: float) -> Motion:
        there = super()._further_on_stop(dt)
        return replace(there, stop=None) if there.state.is_at_rest else there


def at_rest(limits: Limits, positions: Sequence[float], arm: Arm | None = None) -> Stopping:
    """Return the motion of joints that stand at (n,) positions, beside the walls of an arm."""
    state, check = MotionState.at_rest(positions), _stop_check(arm, positions)
    return Stopping(limits=limits, state=state, check=check)


def _stop_check(arm: Arm | None, positions: Sequence[float]) -> StopCheck | None:
    """Return the check of an arm at (n,) positions; None if it has no walls."""
    return StopCheck.at(arm, positions) if arm and arm.walls else None
