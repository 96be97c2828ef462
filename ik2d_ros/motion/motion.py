"""Motions of joints as immutable values: each returns the next step that leaves a safe stop.

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
LARGEST_DRIFT = 0.9  # of the velocity limit

STEP_FRACTIONS = (1.0, 0.5, 0.25, 0.125)  # tried next to a wall, if accelerations have no limits

M = TypeVar('M', bound='Motion')


class Collision(NamedTuple):
    """A collision that prevents a step: (n,) positions at which the joints are across a wall."""

    positions: Sequence[float]


@dataclass(frozen=True, kw_only=True)
class Motion:
    """A motion of joints within their limits, at one instant.

    With limits on acceleration, two rules hold for the motion after any step:

    * Each joint can stop inside its position limits. Where a profile would break that, the joints
      brake instead. A joint that begins outside its limits goes no further out than braking takes
      it.
    * It begins where the last one ended: at the same position and velocity, and, with jerk limits,
      at the same acceleration.

    Collisions with the walls of an arm are avoided by one rule: a step is made only if a stop can
    follow in which nothing comes across a wall, nor further across than it is. Else the arm goes on
    with the safe stop of the step before. At rest, or on a trajectory, it gives up its goal then.
    """

    limits: Limits
    state: MotionState
    check: StopCheck | None = None  # of collisions; None without walls
    # Progress on the safe stop that was found last; None to be at rest at once.
    safe_stop: ProfileProgress | TrajectoryProgress | None = None
    time: float = 0.0  # s that have passed, by which goals of a stream are timed
    period: float = 0.0  # s of the last step, at whose multiples a safe stop is checked
    progress: TrajectoryProgress | None = None  # along a trajectory, or on the way to its start

    @property
    def goal(self) -> Positions:
        """(n,) where it comes to rest; where it is if it has no goal, as at velocities."""
        return self.progress.trajectory.end if self.progress else self.state.positions

    @property
    def has_arrived(self) -> bool:
        """Whether it is at its goal, at rest."""
        is_at_goal = self.state.is_at_rest and self.state.positions == self.goal
        return is_at_goal and (
            self.progress is None or self.progress.time == self.progress.trajectory.duration
        )

    @property
    def trajectory_time(self) -> float | None:
        """Time along a trajectory in s, negative before its first pose is left; None without."""
        return self.progress.time if self.progress else None

    @property
    def blocked(self) -> Contact | None:
        """The contact with a wall that would have followed, if that is why it stops; else None."""
        return None

    @property
    def stream(self) -> GoalStream:
        """The newest goals of the stream that it follows."""
        return NO_STREAM

    @property
    def braking_ranges(self) -> list[Range]:
        """(n,) smallest and largest position of each joint if it brakes."""
        profile = self._braking_profile
        return profile.range if profile else [(q, q) for q in self.state.positions]

    # --- as time passes ---------------------------------------------------------------------------

    def after(self, dt: float, elapsed: float = 0.0, is_held_back: bool = False) -> Motion:
        """Return the motion some time later.

        Args:
            dt: s by which it goes on, above 0.
            elapsed: s since the last step, if more: a stream of goals goes on by that.
            is_held_back: whether it brakes, and keeps its goal.
        """
        limits, is_at_rest = self.limits, self.state.is_at_rest
        if is_at_rest and limits.active is not limits.pending:
            limits = replace(limits, active=limits.pending)
        stop = None if is_at_rest else self.safe_stop
        time = self.time + max(elapsed, dt)
        current = replace(self, limits=limits, safe_stop=stop, time=time, period=dt)
        collision = None
        for candidate in current._candidates(dt, is_held_back):
            if candidate.state is current.state:  # the same object: at rest at its goal
                return candidate
            checked = candidate._checked(current.state.positions)
            if isinstance(checked, Motion):
                return checked
            collision = checked
        if collision and (current.state.is_at_rest or isinstance(current, AlongTrajectory)):
            current = current._blocked_by(collision)
        return current._further_on_stop(dt)

    def _candidates(self, dt: float, is_held_back: bool) -> Iterator[Motion]:
        """Yield candidates for the next motion, best first; none to go on with the safe stop.

        With jerk limits, a motion that leaves a trajectory comes to rest along that first.
        """
        leaves_trajectory = self._stops_along_trajectory and not isinstance(self, AlongTrajectory)
        if leaves_trajectory or isinstance(self, Stopping):
            return
        for fraction in (1.0,) if self.limits.has_acceleration else STEP_FRACTIONS:
            yield self._braked(fraction * dt) if is_held_back else self._stepped(fraction * dt)

    def _stepped(self, dt: float) -> Motion:
        """Return the motion one step later, unchecked for collisions."""
        raise NotImplementedError

    def _braked(self, dt: float) -> Motion:
        """Return the motion one step later if the joints brake, unchecked for collisions."""
        profile, at_rest_here = self._braking_profile, MotionState.at_rest(self.state.positions)
        state = clip(self._bounds, profile.at(dt) if profile else at_rest_here)
        # Limits near the smallest or the largest float may overflow.
        return self._moved(state if state.is_finite else at_rest_here)

    def _further_on_stop(self, dt: float) -> Motion:
        """Return the motion one step further on its safe stop."""
        stop = self.safe_stop
        if isinstance(stop, TrajectoryProgress):
            stop = stop.after(dt, self.limits.active, 0.0)
            state = stop.state
        elif stop is not None:
            before, stop = stop.time, stop.after(dt)
            next_state, check = stop.state, self.check
            if check and check.gap(next_state.positions) < -check.arm.clearance_tolerance:
                # This step ends between checked times: go back to the last one that was checked.
                checked = math.floor(stop.time / stop.step + ROUNDING) * stop.step
                next_state = stop._replace(time=checked).state if checked > before else self.state
            state = clip(self._bounds, next_state)
        else:
            state = MotionState.at_rest(self.state.positions)
        later = self._moved(state, safe_stop=None if state.is_at_rest else stop)
        if self.check and state.is_at_rest:  # walls that came up in mid-motion may be behind it
            later = replace(later, check=StopCheck.at(self.check.arm, state.positions))
        return later

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
        motion, progress = self.to(trajectory.start), TrajectoryProgress(trajectory)
        if not isinstance(motion, ToPose):  # without motion limits, where a wall is in the way
            return motion
        if self.check:
            progress = progress.checked(self.check.arm)
        return replace(motion, progress=progress)

    def reset(self, positions: Sequence[float]) -> Stopping:
        """Return the joints at rest at (n,) positions, also outside the limits."""
        state = MotionState.at_rest(positions)
        check = self.check and StopCheck.at(self.check.arm, positions)
        return self._become(Stopping, state=state, safe_stop=None, check=check)

    def stopping(self) -> Stopping:
        """Return the motion that brakes as fast as limits and walls allow."""
        checked = self if self._stops_along_trajectory else self._with_safe_stop()
        motion = checked if isinstance(checked, Motion) else self  # with that of the step before
        if motion.state.is_at_rest or motion.safe_stop is None:
            state = MotionState.at_rest(motion.state.positions)
            motion = replace(motion, state=state, safe_stop=None)
        return motion._become(Stopping)

    def with_limits(self, limits: Limits, arm: Arm | None = None) -> Motion:
        """Return the motion within other limits of the same joints, and with the walls of an arm.

        A joint that is faster than a new limit brakes to it within the old limits. A goal outside
        new position limits moves to the limit; joints at velocities go on, unless they are outside.
        A trajectory, which other limits may not allow, is the caller's to end.
        """
        old = self.limits
        kept = replace(limits, active=old.active, pending=old.pending)
        new = replace(self, limits=kept)
        if arm and (arm.walls or self.check) and arm != (self.check and self.check.arm):
            new = new._with_walls_of(arm)
        if (limits.ranges, limits.pending) == (old.ranges, old.pending):
            return new
        new = replace(new, limits=limits if self.state.is_at_rest else old.changed_to(limits))
        goal = limits.clamped(new.goal)
        is_braking = isinstance(new, Stopping) and not new.state.is_at_rest
        if is_braking or (isinstance(new, AtVelocity) and goal == new.goal):
            return new
        return new._moved(self.state) if new.progress else new._towards(goal, new.stream)

    def _stream_with(self, pose: Sequence[float], since: float | None) -> GoalStream:
        """Return the stream of goals that goes on with one that came so many s after the step."""
        if since is None:
            return NO_STREAM
        return self.stream.with_goal(self.time + since, pose, self.limits.velocities)

    def _become(self, kind: type[M], **changes: Any) -> M:
        """Return a motion of another kind from here."""
        kept = {'state': self.state, 'safe_stop': self.safe_stop, 'check': self.check}
        return kind(limits=self.limits, time=self.time, period=self.period, **kept | changes)

    def _moved(self, state: MotionState, **changes: Any) -> Motion:
        return replace(self, state=state, **changes)

    def _towards(self, pose: Positions, stream: GoalStream) -> Motion:
        """Return the motion to a pose from here, or where it is blocked on the way."""
        # A target that is sent again is solved anew, and no two solutions are equal to the bit.
        if self.limits.takes_time and not self._is_at(pose):
            return self._become(ToPose, pose=pose, stream=stream)
        state = MotionState.at_rest(pose)
        motion = self._become(ToPose, pose=pose, stream=stream, state=state, safe_stop=None)
        checked = motion._with_safe_stop() if self.check else motion
        if isinstance(checked, Motion):
            return checked
        return self._become(ToPose, pose=pose, stream=stream)._blocked_by(checked)

    def _blocked_by(self, collision: Collision) -> Stopping:
        """Return the motion that stops, as a collision is in the way."""
        assert self.check is not None  # noqa: S101  # it has found the collision
        return replace(self.stopping(), blocked=self.check.arm.contact(collision.positions))

    # --- walls ------------------------------------------------------------------------------------

    @property
    def _stops_along_trajectory(self) -> bool:
        """Whether it stops along a trajectory alone: with jerk limits, no other stop is tried."""
        return isinstance(self.safe_stop, TrajectoryProgress) and self.limits.has_jerk

    def _with_walls_of(self, arm: Arm) -> Motion:
        """Return the motion with the walls of an arm; where it has no safe stop, it only brakes.

        A safe stop for other walls is kept where there is none for these.
        """
        progress = self.progress.checked(arm) if self.progress else None
        motion = replace(self, check=_stop_check(arm, self.state.positions), progress=progress)
        if motion._stops_along_trajectory:
            return motion
        checked = motion._with_safe_stop()
        if isinstance(checked, Motion):
            return checked
        stop = motion._begun(motion._braking_profile)
        return motion if self.check else replace(motion, safe_stop=stop)

    def _checked(self, previous: Sequence[float]) -> Motion | Collision:
        """Return the motion with a safe stop, or the collision, as :meth:`_with_safe_stop`."""
        return self._with_safe_stop(previous) if self.check else self

    def _with_safe_stop(self, previous: Sequence[float] | None = None) -> Motion | Collision:
        """Return the motion with a safe stop, or the collision of the last one that was tried.

        In collision, it may go no deeper than now; if no stop keeps that, than at the last check.

        Args:
            previous: (n,) the command before; None not to check the way from there.
        """
        if self.check is None:
            fastest = self._begun(self._braking_profile)
            return self if fastest is self.safe_stop else replace(self, safe_stop=fastest)
        here = across = self.state.positions
        limits, checks = self.limits.active, [self.check]
        if not self.check.was_clear:  # the command before may be deeper in collision
            if previous is not None and (collision := self.check.between(previous, here)):
                return Collision(tuple(collision))
            checks, previous = [self.check.after(here), self.check], None
        for check in checks:
            for profile in self._braking_profiles():
                stop = profile.as_stop(self.state, limits) if profile else None
                collision = check.collision(previous, here, stop, self.period)
                if collision is None:
                    return replace(self, safe_stop=self._begun(profile), check=check)
                across = tuple(collision)
        return Collision(across)

    def _begun(self, profile: Profile | None) -> ProfileProgress | None:
        return ProfileProgress(profile, step=self.period) if profile else None

    def _braking_profiles(self) -> Iterator[Profile | None]:
        """Yield the fastest braking profile, then that of all joints in step.

        With jerk limits, the latter may exceed the velocity limits.
        """
        yield (fastest := self._braking_profile)
        if fastest is not None and not self.limits.has_jerk:
            zeros = (0.0,) * len(self.state.positions)
            in_step = Profile.to_velocities(self.state, zeros, self.limits.active)
            if in_step is not None and are_within(self._bounds, in_step.range):
                yield in_step

    # --- limits -----------------------------------------------------------------------------------

    @cached_property
    def _braking_profile(self) -> Profile | None:
        """The fastest braking profile; None if none is needed."""
        return self.limits.braking_profile(self.state)

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

    def _within_bounds(self, later: Motion) -> Motion | None:
        """Return a motion one step later, clipped to the bounds; None if it cannot stop inside."""
        bounds = self._bounds
        if not are_within(bounds, later.braking_ranges):
            return None
        state = clip(bounds, later.state)
        return later if state is later.state else replace(later, state=state)

    def _is_at(self, pose: Sequence[float]) -> bool:
        """Return whether the joints are at rest at a pose, but for rounding."""
        return self.state.is_at_rest and all(
            abs(q - p) <= ROUNDING for q, p in zip(pose, self.state.positions, strict=True)
        )


@dataclass(frozen=True, kw_only=True)
class ToPose(Motion):
    """A motion to an (n,) pose, or tracking a stream of goals; then perhaps along a trajectory."""

    pose: Positions
    profile_progress: ProfileProgress | None = None  # None before a profile is planned
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

    def _moved(self, state: MotionState, **changes: Any) -> ToPose:
        return replace(self, state=state, profile_progress=None, **changes)

    def _stepped(self, dt: float) -> Motion:
        if self.progress and self._is_at(self.pose):
            return self._become(AlongTrajectory, progress=self.progress)._stepped(dt)
        if self.limits.has_acceleration:
            return self._stepped_by_profile(dt)
        if self.has_arrived:
            return self
        moving_goal = self.stream.moving_goal(self.time, self.time)
        if moving_goal is None:
            return self._moved(self.limits.step_to(self.state, self.pose, dt))
        before, goal = self.state.positions, self.limits.clamped(moving_goal[0].tolist())
        state = self.limits.step_to(self.state, goal, dt)
        velocities = tuple((q - p) / dt for p, q in zip(before, state.positions, strict=True))
        return self._moved(state._replace(velocities=velocities))

    def _stepped_by_profile(self, dt: float) -> Motion:
        """Return the motion one step later within limits on acceleration."""
        goal, drift = self._stream_goal(dt) or (self.pose, (0.0,) * len(self.pose))
        if goal == self.pose and not any(drift) and self.has_arrived:
            return self
        for progress in self._profiles(goal, drift):
            after = progress.after(dt)
            later = self._within_bounds(replace(self, state=after.state, profile_progress=after))
            if later is not None:
                return later
        return self._braked(dt)

    def _profiles(self, goal: Positions, drift: tuple[float, ...]) -> Iterator[ProfileProgress]:
        """Yield the progress on profiles to a goal, the present one first, then new ones."""
        present = None if any(drift) else self.profile_progress
        if present and (present.profile.goal, present.profile.drift) == (goal, drift):
            yield present
        for in_step in (True, False):
            profile = Profile.to_goal(self.state, goal, drift, self.limits.active, in_step)
            if profile is not None:
                yield ProfileProgress(profile)

    def _stream_goal(self, dt: float) -> tuple[Positions, tuple[float, ...]] | None:
        """Return the goal and the drift of the stream; None if there is no stream to track."""
        moving_goal = self.stream.moving_goal(self.time - dt, self.time)
        if moving_goal is None:
            return None
        (positions, velocities), limits = moving_goal, self.limits
        goal = limits.clamped(positions.tolist())
        slower = float(np.max(np.abs(velocities) / limits.velocities, initial=0.0)) / LARGEST_DRIFT
        drift = tuple((velocities / max(slower, 1.0)).tolist())
        # 0 for joints that could not stop inside their limits.
        state = MotionState.at_rest(goal)._replace(velocities=drift)
        profile = limits.braking_profile(state)
        stops = profile.range if profile else [(q, q) for q in goal]
        return goal, tuple(
            v if lower <= lowest and highest <= upper else 0.0
            for v, (lowest, highest), (lower, upper) in zip(
                drift, stops, limits.ranges, strict=True
            )
        )


@dataclass(frozen=True, kw_only=True)
class AlongTrajectory(Motion):
    """A motion along a trajectory.

    Its rate changes no faster than the limits on acceleration allow: it waits, slows down and goes
    on without leaving the trajectory. With jerk limits, which no trajectory keeps, it leaves one
    only at rest.
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

    def _checked(self, previous: Sequence[float]) -> Motion | Collision:
        check = self.check
        if not (check or self.limits.has_jerk):
            return self
        here = self.state.positions
        progress, limits = self.progress, self.limits.active
        until = progress.clear_until
        is_clear = until == math.inf or progress.at_rest(self.period, limits).time <= until
        collision = check.collision(previous, here, None, self.period) if check else None
        if is_clear and not collision:
            return replace(self, safe_stop=progress)
        if self.limits.has_jerk:
            return Collision(tuple(collision or progress.trajectory.at(until).positions))
        return self._with_safe_stop(previous)


@dataclass(frozen=True, kw_only=True)
class AtVelocity(Motion):
    """A motion at (n,) velocities in rad/s."""

    velocities: tuple[float, ...]

    @property
    def has_arrived(self) -> bool:
        """False: joints at velocities have no goal."""
        return False

    def _stepped(self, dt: float) -> Motion:
        wanted = self.limits.safe_velocities(self.state, self.velocities, dt)
        state = self.state
        if not self.limits.has_acceleration:
            later = tuple(q + v * dt for q, v in zip(state.positions, wanted, strict=True))
            return self._moved(clip(self._bounds, MotionState(later, wanted, (0.0,) * len(wanted))))
        # To stop, each joint brakes as fast as it can.
        for in_step in (True, False) if any(wanted) else (False,):
            profile = Profile.to_velocities(state, wanted, self.limits.active, in_step)
            if profile and (moved := self._within_bounds(self._moved(profile.at(dt)))):
                return moved
        return self._braked(dt)


@dataclass(frozen=True, kw_only=True)
class Stopping(Motion):
    """A motion along its safe stop, or at rest."""

    blocked: Contact | None = None  # with a wall, if that is why it stops

    @cached_property
    def goal(self) -> Positions:
        """(n,) where it comes to rest."""
        if isinstance(self.safe_stop, TrajectoryProgress):
            return self.safe_stop.at_rest(self.period, self.limits.active).state.positions
        return self.safe_stop.profile.goal if self.safe_stop else self.state.positions

    @property
    def trajectory_time(self) -> float | None:
        """Time along the trajectory on which it stops, in s; None if on none."""
        return self.safe_stop.time if isinstance(self.safe_stop, TrajectoryProgress) else None

    def stopping(self) -> Stopping:
        """Return the motion that stops on demand, not because of a wall."""
        return super().stopping() if self.state.is_at_rest else replace(self, blocked=None)


def at_rest(limits: Limits, positions: Sequence[float], arm: Arm | None = None) -> Stopping:
    """Return the motion of joints at rest at (n,) positions, with the walls of an arm."""
    state, check = MotionState.at_rest(positions), _stop_check(arm, positions)
    return Stopping(limits=limits, state=state, check=check)


def _stop_check(arm: Arm | None, positions: Sequence[float]) -> StopCheck | None:
    """Return the check of an arm at (n,) positions; None if it has no walls."""
    return StopCheck.at(arm, positions) if arm and arm.walls else None
