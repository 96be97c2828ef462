"""The pilot of an arm: from what is asked, measured and set to what is commanded and told."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from ik2d_ros.control.joints import CommandedJoints
from ik2d_ros.control.supervisor import Course, Supervisor
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot.answer import (
    Answer,
    Situation,
    aim_of,
    answer,
    answer_again,
    holds_in,
    joint_fault,
    overtaken,
    refusal,
    report_of,
)
from ik2d_ros.pilot.assumed import AssumedJoints
from ik2d_ros.pilot.clock import Now, Stamp, TickClock, fault
from ik2d_ros.pilot.jog import TELL_PERIOD, Stick, jogged
from ik2d_ros.pilot.outcome import Code, across
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.path_answer import answer_path
from ik2d_ros.pilot.report import Report
from ik2d_ros.pilot.request import (
    Enable,
    Frames,
    Home,
    Jog,
    JogJoints,
    Joints,
    Missing,
    NamedPose,
    Path,
    Query,
    Reply,
    Request,
    Stop,
    Target,
    no_frames,
)
from ik2d_ros.pilot.side import side_of
from ik2d_ros.pilot.telling import Told, about, holding, standing
from ik2d_ros.pilot.waiting import Asked, Waiting

Job = Callable[[], Answer]
"""Judges a path; it may take long, and run in another thread."""


class Pilot:
    """Brings the tip of an arm to targets. The last target wins; whoever waits, waits here.

    Nothing in here looks at a clock, waits, or starts a thread: whoever has a pilot tells it the
    time with everything else, lets it answer when there is time for that, runs its jobs, publishes
    the pose when it is due, and then tells what is to be told.

    Attributes:
        configuration: the arm, and how it is moved.
        supervisor: decides what is commanded.
        told: what is to be told, from first to last.
        waiting: all that is not answered yet.
        answer: to the newest target; None if there is none, or it is forgotten.
        pose_after: the commanded pose is to be published, so many s after the one before; None if
            it is not.
        departures: how often the arm was sent somewhere.
        is_disabled: whether it must not move until it is enabled.
        last: the status that was told last; None before the first.
    """

    def __init__(self, configuration: Configuration, now: Now, frames: Frames = no_frames) -> None:
        """Start without a target.

        Args:
            configuration: the arm, and how it is moved.
            now: the time.
            frames: knows where frames are.
        """
        self.configuration, self._frames = configuration, frames
        is_measured = configuration.drive.use_measured_state
        self.supervisor = Supervisor(_joints(configuration), is_measured)
        self.told: deque[Told] = deque()
        self.pose_after: float | None = 0.0
        self.departures = 0
        self.is_disabled = False
        self.last: Told | None = None
        self._assumed = AssumedJoints(configuration.drive)
        self._ticks = TickClock()
        self.waiting = Waiting()
        self._job: tuple[Asked, Configuration] | None = None
        self.answer: Answer | None = None
        self._stamp = Stamp()  # of the newest that was told; zero before
        self._forgotten = ''  # words for a target that was not the user's to forget
        self._stick, self._held_stick = Stick(), Stick()  # of the arm, of held joints
        self._jog: tuple[Jog | JogJoints, Plane | None] | None = None  # of the arm
        self._jog_told = -math.inf  # s
        self._was_seen = False  # and whether it was across a wall told
        self._side = 0  # to which the arm was bent last
        self._was_placed, self._faults = False, (False, 0)  # when this looked last
        self._notice(now)

    # --- what it says -----------------------------------------------------------------------------

    @property
    def was_placed(self) -> bool:
        """Whether anything was ever commanded, or the true pose ever known."""
        seen = self.supervisor.measurements
        return self.supervisor.has_begun or (seen is not None and seen.were_known)

    # --- what it is told --------------------------------------------------------------------------

    def ask(self, request: Request, now: Now) -> Reply:
        """Take a request: at once, or when its turn comes.

        Args:
            request: the request.
            now: the time.
        """
        match request:
            case Stop():
                return self._stop(now)
            case Enable(is_on):
                return self._enable(is_on, now)
            case Jog() | JogJoints():
                self._jog_on(request, now)
            case Home():
                return self._go_at_once(request, now)
            case NamedPose(name):
                pose = self.configuration.poses[name]
                target = Joints((*pose,), (*pose.values(),))
                if not self._moves_held_alone(target, now):
                    return self._go_at_once(target, now)
                return self._hold_alone(target, now)
            case Joints() if self._moves_held_alone(request, now):
                return self._hold_alone(request, now)
            case Query(target):
                problem = self.waiting.add_query(_asked(target, now, is_query=True))
                return Reply(not problem, problem)
            case Target():
                for each in self.waiting.add_target(_asked(request, now)):
                    self._pass_over(each, now)
        return Reply()

    def answer_next(self, now: Now) -> bool:
        """Answer whoever's turn it is; return False if nobody can be answered now."""
        timeout = self.configuration.settings.tf_timeout
        turn = self.waiting.next(self._frame_of, now.steady, timeout)
        if turn is None:
            return False
        asked, older = turn
        if asked.is_query:
            situation = self._situation(asked, now)
            result = answer(asked.target, situation, self.configuration, moves=False)
            self._tell_query(asked, result, now)
        else:
            self._begin(asked, older, now)
        return True

    def job(self, now: Now) -> Job | None:
        """Return the next job, if there is one and none is under way; :meth:`finish` ends it."""
        if self._job is not None or (asked := self.waiting.next_path()) is None:
            return None
        self._job = asked, (configuration := self.configuration)
        situation = self._situation(asked, now)

        def is_over() -> bool:
            is_wanted = self.waiting.newest is asked and self.configuration is configuration
            return not (asked.is_query or is_wanted)

        target = asked.target
        assert isinstance(target, Path)  # noqa: S101  # nothing else is judged
        return lambda: answer_path(target, situation, configuration, not asked.is_query, is_over)

    def finish(self, result: Answer | None, now: Now) -> None:
        """Take the result of the job; None if it failed."""
        assert self._job is not None  # noqa: S101  # one was handed out
        (asked, configuration), self._job = self._job, None
        if asked.is_query:
            if result is not None:
                self._tell_query(asked, result, now)
        elif self.waiting.newest is not asked:
            pass  # a newer target has come, or it was forgotten
        elif result is None:
            self.waiting.newest = None
        elif configuration is self.configuration and not (result.goes and self._fault(now)):
            self._take(asked, result, now)
        # Else it is judged again.

    def configure(self, configuration: Configuration, effects: frozenset[Effect], now: Now) -> None:
        """Take over other settings: clamp the pose to the limits, and answer the last target again.

        Args:
            configuration: the arm, with the same joints, and how it is moved.
            effects: what the changes affect.
            now: the time.
        """
        self.configuration = configuration
        self.supervisor.configure(_joints(configuration))
        if Effect.SOLVING not in effects:
            return
        goal = self.answer
        if goal is None or not goal.accepted or self._fault(now):
            self.pose_after = 0.0
        elif goal.aim is not None:
            under_way = goal if self.supervisor.is_under_way and goal.way is None else None
            situation = Situation(self.supervisor.start(), under_way, goal.frame, side=self._side)
            self.answer = result = answer(goal.target, situation, configuration)
            self._follow(result, None, now)
            report = self._present(now)
            if self.last is None or not report.says_the_same(self.last.report):
                self._tell(report, now, result)
        elif self.supervisor.is_under_way:  # on a path for another arm, or another solver
            self._forget_goal(goal)
            self.supervisor.stop()
            self._look(now)

    def measure(self, names: Sequence[str], positions: Sequence[float], now: Now) -> list[str]:
        """Take measured positions; return the problems that were not told before.

        Args:
            names: of joints.
            positions: by the names, in rad or m.
            now: the time.
        """
        if self.supervisor.measurements is None:
            return []
        self._pass_time(now)
        problems = self.supervisor.measurements.hear(names, positions)
        self._assumed.measurements.hear(names, positions)
        self._look(now)
        arm, measured = self.configuration.arm, self.supervisor.measured
        if measured is not None and not self._was_seen:
            self._was_seen = True
            problems = [*problems, across(arm, measured[: len(arm.names)], 'the arm')]
        return [*filter(None, problems)]

    def tick(self, now: Now, due: int, period: float, is_heard: bool = True) -> None:
        """Go on with the motion.

        Args:
            now: the time.
            due: when the tick was due, in ns of the arm's clock.
            period: s between ticks.
            is_heard: whether the controller listens.
        """
        self._pass_time(now)
        if not now.fault:
            step, elapsed = self._ticks.step(due, period, now.is_simulated)
            self._steer(step, now)
            self.supervisor.is_heard = is_heard
            lost = self._ticks.lost(now.steady, elapsed, period)
            self.supervisor.advance(step, elapsed, lost)
            self.pose_after = step
        self._look(now)

    def look(self, now: Now) -> None:
        """Let time pass, and tell what has changed."""
        self._pass_time(now)
        self._look(now)

    def repeat(self, now: Now) -> None:
        """Tell the status again, with the present distance from the target."""
        supervisor, goal = self.supervisor, self.answer
        changes = supervisor.is_under_way or supervisor.measured is not None
        if goal is not None and goal.accepted and changes:
            self._tell(self._present(now), now)
        elif self.last is not None:
            self.told.append(self.last._replace(held=self.supervisor.held))

    # --- how it answers ---------------------------------------------------------------------------

    def _situation(self, asked: Asked, now: Now) -> Situation:
        """Return what is known of a target at present."""
        supervisor, time = self.supervisor, asked.target.stamp.time
        clock_fault, start = now.fault, supervisor.start()
        self._note_side(start)
        return Situation(
            start=start,
            goal=self.answer if supervisor.is_under_way else None,
            frame=self._frame_of(asked),
            age=(now.clock - time) * 1e-9 if time and not clock_fault else 0.0,
            clock_fault=clock_fault,
            state_fault=self._state_fault,
            is_disabled=self.is_disabled,
            last=self.answer,
            side=self._side,
        )

    def _frame_of(self, asked: Asked) -> Plane | Missing | None:
        """Return the pose of a target's frame in the base frame; None if it is that."""
        target, base_frame = asked.target, self.configuration.arm.base_frame
        time = target.stamp.time
        if target.frame_id in ('', base_frame) or target.fault or fault(time):
            return None
        return self._frames(target.frame_id, base_frame, time)

    def _note_side(self, pose: Sequence[float]) -> None:
        self._side = side_of(self.configuration.arm, pose) or self._side

    def _begin(self, asked: Asked, older: Sequence[Asked], now: Now) -> Answer | None:
        """Answer a target whose turn has come, or let it be judged; older ones are overtaken."""
        for each in (self.waiting.newest, *older):
            if each is not None and each.target is not asked.target:
                self._pass_over(each, now)
        self.waiting.newest, self.waiting.for_state = asked, False
        self._stick.end()
        if isinstance(asked.target, Path):
            return None
        result = answer(asked.target, self._situation(asked, now), self.configuration)
        self._take(asked, result, now)
        return result

    def _take(self, asked: Asked, result: Answer, now: Now) -> None:
        """Follow the answer to a target, and tell it."""
        self.waiting.newest, self._forgotten = None, ''
        self._stamp = stamp = asked.stamp_at(now)
        is_end = result.report.code == Code.READY.name  # of a path
        self.answer = None if is_end or result.postponed else result
        if isinstance(asked.target, Joints) and result.goes:
            self._hold(asked.target)
        self._follow(result, self._ticks.since(now.clock), now)
        if result.postponed and asked.may_wait and not self.was_placed:
            self.waiting.newest = replace(asked, stamp=stamp)
            self.waiting.for_state = True
            if self._is_early and not now.fault:
                return  # it is told when the pose is known, or missed
        report = self._present(now) if result.accepted else holding(result.report, self.supervisor)
        self._tell(report, now, result)

    def _follow(self, result: Answer, since: float | None, now: Now) -> None:
        """Move as an answer says: to its pose, or not at all.

        Args:
            result: the answer.
            since: s since the tick, for a target that may be one of a stream; None for others.
            now: the time.
        """
        supervisor = self.supervisor
        takes_time = supervisor.arm.takes_time
        if result.goes:
            way = result.judged.way if result.judged else result.way
            # An arm that moves at once follows no stream of targets.
            since = since if takes_time else None
            supervisor.go(Course(way.start if way else result.positions, way), since)
            self._note_side(way.end if way else result.positions)
            self.departures += 1
            if not takes_time:
                self.pose_after = 0.0
        else:
            supervisor.stop()
        self._was_placed = self._was_placed or supervisor.has_begun
        self._seen = self._state(now)

    def _stop(self, now: Now) -> Reply:
        self.answer, self._forgotten = None, ''
        self._stick.end()
        self._held_stick.end()
        self._forget_waiting(now)
        self.supervisor.stop()
        self._notice(now, is_asked=True)
        return Reply(True, standing(self.supervisor, self.configuration.arm))

    def _go_at_once(self, target: Home | Joints, now: Now) -> Reply:
        # A call that is refused must not move the arm later.
        asked = replace(_asked(target, now), may_wait=False)
        result = self._begin(asked, self.waiting.clear(), now)
        assert result is not None  # noqa: S101  # as it is no path
        report = result.report if result.accepted else holding(result.report, self.supervisor)
        return Reply(result.accepted, report.message)

    def _enable(self, is_on: bool, now: Now) -> Reply:
        if is_on and not self.is_disabled:
            return Reply(True, 'The arm is enabled.')
        self.is_disabled = not is_on
        what = 'It moves again when it is asked to.' if is_on else 'It is disabled.'
        return Reply(True, f'{self._stop(now).message} {what}')

    # --- joints that are held, and jogging --------------------------------------------------------

    def _moves_held_alone(self, target: Joints, now: Now) -> bool:
        configuration = self.configuration
        if not {*target.names} <= {*configuration.drive.holds}:
            return False
        situation = self._situation(_asked(target, now), now)
        aim = aim_of(target, situation, configuration.arm)
        problem = joint_fault(target, configuration)
        return refusal(target, aim, situation, configuration, True, problem) is None

    def _hold_alone(self, target: Joints, now: Now) -> Reply:
        """Hold joints elsewhere, while the arm does what it does."""
        self._hold(target)
        self.departures += 1
        self.look(now)
        return Reply(True, 'The held joints go there.')

    def _hold(self, target: Joints) -> None:
        """Hold joints where a target says so."""
        if holds := holds_in(target, self.configuration):
            self._held_stick.end()
            self.supervisor.move_held(holds, {})

    def _jog_on(self, jog: Jog | JogJoints, now: Now) -> None:
        """Let the arm or held joints be jogged until the next message; or refuse that and brake."""
        configuration, timeout = self.configuration, self.configuration.settings.jog_timeout
        asked = _asked(jog, now)
        situation = self._situation(asked, now)
        if situation.age > timeout and not fault(jog.stamp.time):
            return  # it is too old to count
        problem = joint_fault(jog, configuration)
        if situation.age < -timeout:
            problem = f'is stamped {-situation.age:.3g} s in the future'
        aim = aim_of(jog, situation, configuration.arm)
        refused = refusal(jog, aim, situation, configuration, True, problem)
        if refused is not None:
            self._refuse_jog(asked, Answer(jog, situation.frame, situation.start, refused), now)
            return
        assert not isinstance(situation.frame, Missing)  # noqa: S101  # it was refused
        if isinstance(jog, Jog):
            self._jog_arm(asked, jog, situation.frame, now)
            return
        given = dict(zip(jog.names, jog.velocities, strict=True))
        held = {name: given.pop(name) for name in configuration.drive.holds if name in given}
        if held:
            self._jog_held(held, now)
        if given:
            self._jog_arm(asked, JogJoints((*given,), (*given.values(),)), None, now)

    def _refuse_jog(self, asked: Asked, result: Answer, now: Now) -> None:
        self._stick.end(now.steady)
        self._held_stick.end(now.steady)
        self._overtake_all(asked, now)
        before, self.answer = self.answer, result
        self.supervisor.stop()
        if before is None or not result.report.says_the_same(before.report):
            self._jog_told = -math.inf
        self._tell_jog(now)

    def _jog_arm(self, asked: Asked, jog: Jog | JogJoints, frame: Plane | None, now: Now) -> None:
        was_active = self._stick.is_active
        self._stick.hear(jog.is_zero, now.steady, self.configuration.settings.jog_timeout)
        if self._stick.is_active:
            self._jog = jog, frame
            if not was_active:
                self._overtake_all(asked, now)
                self.supervisor.go(Course(velocities={}))
                self.departures += 1
        elif was_active:
            self._brake_jog(now)

    def _jog_held(self, velocities: Mapping[str, float], now: Now) -> None:
        was_active, configuration = self._held_stick.is_active, self.configuration
        is_zero = not any(velocities.values())
        self._held_stick.hear(is_zero, now.steady, configuration.settings.jog_timeout)
        if self._held_stick.is_active:
            speed = configuration.drive.following.speed
            self.supervisor.move_held({}, {name: speed * v for name, v in velocities.items()})
            self.departures += not was_active
        elif was_active:
            self.supervisor.move_held({}, {})

    def _steer(self, dt: float, now: Now) -> None:
        """Go on with jogs for a period of so many s, or end them."""
        configuration, supervisor = self.configuration, self.supervisor
        timeout = configuration.settings.jog_timeout
        if supervisor.fault or not supervisor.has_target:  # something has ended them
            self._stick.end()
            self._held_stick.end()
        if self._held_stick.is_late(now.steady, timeout):
            self._held_stick.end()
            supervisor.move_held({}, {})
        if self._stick.is_late(now.steady, timeout):
            self._brake_jog(now)
        if self._stick.is_active and self._jog is not None and dt > 0.0:
            (jog, frame), start = self._jog, supervisor.start()
            self._note_side(start)
            is_stopped, motion = supervisor.arm.blocked is not None, supervisor.motion
            course = jogged(jog, frame, configuration, start, motion, dt, self._side, is_stopped)
            report = course.report(configuration.arm, start, is_stopped)
            supervisor.go(Course(velocities=course.velocities))
            self.answer = Answer(jog, frame, start, report, accepted=True, goes=True)
        if self._stick.is_active or self._held_stick.is_active:
            self._tell_jog(now)

    def _tell_jog(self, now: Now) -> None:
        if now.steady - self._jog_told >= TELL_PERIOD:
            self._jog_told = now.steady
            self._tell(self._present(now), now)

    def _brake_jog(self, now: Now) -> None:
        self._stick.end()
        self.answer = None
        self.supervisor.brake()
        self._notice(now, is_asked=True)  # also where nothing has moved yet

    # --- what it forgets --------------------------------------------------------------------------

    def _pass_over(self, asked: Asked, now: Now) -> None:
        """Tell a target that a newer one has overtaken."""
        report = overtaken(asked.target, self._situation(asked, now), self.configuration)
        self.told.append(Told(report, asked.stamp_at(now)))

    def _overtake_all(self, newest: Asked, now: Now) -> None:
        """Let a jog be the newest: no target waits any more."""
        for each in self.waiting.clear():
            self._pass_over(each, now)
            self._jog_told = -math.inf  # the last status is to be about the newest
        self._stamp, self._forgotten = newest.stamp_at(now), ''

    def _forget_waiting(self, now: Now) -> None:
        """Forget the targets that are not answered yet; the next status is the newest one's."""
        waiting = self.waiting.clear()
        for each in waiting[:-1]:
            self._pass_over(each, now)
        if waiting:
            self._stamp = waiting[-1].stamp_at(now)

    def _forget_goal(self, goal: Answer) -> None:
        self.answer = None
        name = goal.target.name
        self._forgotten = f' {name[0].upper()}{name[1:]} is forgotten.' if goal.accepted else ''

    def _fault(self, now: Now) -> str:
        """Return why the time or the pose is not known; empty if they are."""
        return now.fault or self._state_fault

    @property
    def _state_fault(self) -> str:
        """Why the pose is not known, or not what the arm's numbers say; empty if it is."""
        return self.supervisor.fault or self._assumed.fault(self.configuration.drive)

    @property
    def _is_early(self) -> bool:
        """Whether the pose is not known yet, but may be in a moment."""
        measurements = self.supervisor.measurements
        is_new = measurements is not None and measurements.are_new
        was_told = self.last is not None and self.last.report.code != Code.NO_CLOCK.name
        return is_new and not was_told and bool(self.supervisor.fault)

    def _pass_time(self, now: Now) -> None:
        for measurements in (self.supervisor.measurements, self._assumed.measurements):
            if measurements is not None:
                measurements.pass_time(now.clock * 1e-9, now.steady)

    def _look(self, now: Now) -> None:
        blocked, goal = self.supervisor.arm.blocked, self.answer
        is_told = goal is None or not goal.goes or self._stick.is_active
        if blocked is not None and goal is not None and not (is_told or self._fault(now)):
            start = Situation(self.supervisor.start(), frame=goal.frame, side=self._side)
            self.answer = result = answer_again(goal, blocked, start, self.configuration)
            self._follow(result, None, now)
            self._tell(self._present(now), now, result)
        if self._state(now) != self._seen:
            self._notice(now)
        elif not self._was_placed:
            self._was_placed = self.was_placed and not self._fault(now)

    def _state(self, now: Now) -> tuple[object, ...]:
        """Return the state of the motion, as the status tells it."""
        supervisor = self.supervisor
        return (
            *(supervisor.has_target, supervisor.is_at_goal, supervisor.is_off_goal),
            supervisor.brakes,
            *(supervisor.complaint, now.fault, supervisor.fault, self._is_early),
            *(bool(self._state_fault), supervisor.faults, supervisor.waits_for),
            None if self._held_stick.is_active else [goal for _, goal in supervisor.held.values()],
        )

    def _notice(self, now: Now, is_asked: bool = False) -> None:
        """Act on a change of the motion, the measured pose or the clock, and tell it.

        A target that waits for the pose or the time is answered once both are known. Right after
        the start, an unknown pose is not told yet: it may be known in a moment.
        """
        supervisor, goal = self.supervisor, self.answer
        if now.fault:
            supervisor.cease()
        is_faulty = bool(self._fault(now))
        faults = is_faulty, supervisor.faults
        if self._was_placed and faults != self._faults:
            self._forget_waiting(now)
            if is_faulty:
                supervisor.stop()
        if goal is not None and (not supervisor.has_target if goal.goes else is_faulty):
            self._forget_goal(goal)
        self._was_placed = self.was_placed and (self._was_placed or not is_faulty)
        self._faults, self._seen = faults, self._state(now)
        if self._is_early and not (now.fault or is_asked):
            return
        if (asked := self.waiting.newest) and self.waiting.for_state and not is_faulty:
            # Those that wait for their frames are newer: this one goes ahead of them.
            self._begin(asked, (), now)
        else:
            self._tell(self._present(now), now)

    # --- what it tells ----------------------------------------------------------------------------

    def _tell(self, report: Report, now: Now, first: Answer | None = None) -> None:
        stamp = self._stamp if self._stamp.time else Stamp.at(now.clock)
        tolerance = self.configuration.drive.following.goal_tolerance
        self.last = Told(report, stamp, held=self.supervisor.held, tolerance=tolerance)
        self.told.append(self.last._replace(answer=first))

    def _tell_query(self, asked: Asked, result: Answer, now: Now) -> None:
        self.told.append(Told(result.report, asked.stamp_at(now), True, result))

    def _present(self, now: Now) -> Report:
        """Return the present status."""
        supervisor, goal = self.supervisor, self.answer
        if now.fault:
            report = report_of(Code.NO_CLOCK, problem=now.fault)
        elif self._state_fault:
            report = report_of(Code.NO_STATE, problem=self._state_fault)
        elif goal is not None:
            return about(goal, supervisor, self.configuration)
        elif self.is_disabled:
            report = report_of(Code.DISABLED)
        elif supervisor.complaint:
            report = report_of(Code.NOT_FOLLOWING, problem=supervisor.complaint)
        else:
            report = report_of(Code.READY)
        return holding(report._replace(message=report.message + self._forgotten), supervisor)


def _joints(configuration: Configuration) -> CommandedJoints:
    drive = configuration.drive
    return CommandedJoints(configuration.arm, drive.holds, drive.following, drive.hold_limits)


def _asked(target: Target, now: Now, is_query: bool = False) -> Asked:
    stamp = target.stamp if target.stamp.time else Stamp.at(now.clock)
    return Asked(target, stamp, now.steady, is_query)
