"""The pilot of an arm: from requests, measurements and settings to commands and statuses."""

from __future__ import annotations

import math
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import Any

from ik2d_ros.control.supervisor import Goal, Phase, Supervisor
from ik2d_ros.kinematics.plane import Plane
from ik2d_ros.parameters.table import Effect
from ik2d_ros.pilot import request as requests
from ik2d_ros.pilot.aim import aim_of
from ik2d_ros.pilot.answer import Answer, Going, Refused, Situation, Solved, Staying
from ik2d_ros.pilot.clock import Now, TickClock
from ik2d_ros.pilot.jog import ARM, REPORT_PERIOD, Jogs, plan_jog
from ik2d_ros.pilot.outcome import Code, Report
from ik2d_ros.pilot.parameters import Configuration
from ik2d_ros.pilot.plan import plan_at_once, plan_path, plan_target, stopped_at_wall
from ik2d_ros.pilot.request import FrameLookup, Missing, Reply, Request, Target
from ik2d_ros.pilot.status import (
    StateWatch,
    StatusUpdate,
    current_report,
    describe_rest,
    with_rest_words,
)
from ik2d_ros.pilot.waiting import Job, PendingRequest, Waiting
from ik2d_ros.planning.branch import side_of

OVERTAKEN = 'A newer target came before this one was answered.'


class Pilot:
    """Brings the tip of an arm to targets. The last target wins.

    Nothing in here looks at a clock, waits, or starts a thread. The caller passes the time with
    each call, lets targets be planned when there is time, runs the jobs, and publishes the pose
    when it is due, and then the statuses.

    Attributes:
        configuration: the arm, and how it is moved.
        supervisor: moves the arm and the auxiliary joints.
        updates: statuses to publish, from first to last.
        waiting: all that is not answered yet.
        answer: to the newest target; None if there is none, or it is forgotten.
        request: that of the statuses; number 0 before the first.
        publish_interval: s since the last published pose; None if there is none to publish.
        goal_count: how often the arm was sent somewhere.
        is_disabled: whether it must not move until it is enabled.
        last: the last status; None before the first.
    """

    def __init__(
        self,
        configuration: Configuration,
        now: Now,
        frames: FrameLookup = lambda *_: Missing('TF was not asked'),
        publish: Callable[[Now], object] = lambda _: None,
    ) -> None:
        """Start without a target; the pose of an arm that moves at once is published first."""
        self.configuration, self._frames, self._publish = configuration, frames, publish
        is_measured = configuration.control.use_measured_state
        self.supervisor = Supervisor(configuration.commanded_joints, is_measured)
        self.updates: deque[StatusUpdate] = deque()
        self.publish_interval: float | None = 0.0
        self.goal_count = 0
        self.is_disabled = False
        self.last: StatusUpdate | None = None
        self._state_watch = StateWatch(configuration, self.supervisor)
        self._ticks = TickClock()
        self.waiting = Waiting()
        self.answer: Answer | None = None
        self.request = PendingRequest(Target())  # before the first
        self._jogs = Jogs(self.supervisor)
        self._side = 0  # to which the arm was bent last
        self._on_change(now)

    # --- input ------------------------------------------------------------------------------------

    def ask(self, request: Request, now: Now) -> Reply:
        """Take a request: at once, or when its turn comes."""
        match request:
            case requests.Stop():
                # A person who stops an arm sees it, and confirms implausible positions thereby.
                self._state_watch.confirm()
                return self._stop(now)
            case requests.Enable(is_on):
                return self._enable(is_on, now)
            case requests.Query(target):
                problem = self.waiting.add_query(PendingRequest.at(now, target, is_query=True))
                return Reply(not problem, problem)
            case requests.NamedPose(name):
                pose = self.configuration.poses[name]
                target = requests.Joints((*pose,), (*pose.values(),))
            case requests.Target():
                target = request
        # A call that is refused must not move the arm later.
        is_call = isinstance(request, requests.Home | requests.NamedPose)
        pending = PendingRequest.at(now, target, may_wait=not is_call)
        if isinstance(target, requests.Jogging):
            self._jog(target, pending, now)
        elif isinstance(target, requests.Joints) and self._move_held(target, pending, now):
            return Reply(True, 'The held joints go there.')
        elif is_call:
            return self._go_at_once(pending, now)
        else:
            self._supersede(self.waiting.add_target(pending), now)
        return Reply()

    def answer_next(self, now: Now) -> bool:
        """Answer the next request; return False if none can be answered now."""
        timeout = self.configuration.settings.tf_timeout
        taken = self.waiting.next(self._frame_of, now.steady, timeout)
        if not taken:
            return False
        *older, request = taken
        if not request.is_query:
            self._begin(request, older, now)
        elif (result := self._plan_at_once(request, now)) is not None:
            self._put(result.report, request, now)
        else:
            self.waiting.long_queries.append(request)
        return True

    def job(self, now: Now) -> Job | None:
        """Return the next job, if there is one and none is under way; :meth:`finish` ends it."""
        configuration = self.configuration
        if (request := self.waiting.begin_job(configuration)) is None:
            return None
        target, situation = request.target, self._situation(request, now)

        def is_over() -> bool:
            is_wanted = self.waiting.current is request and self.configuration is configuration
            return not (request.is_query or is_wanted)

        if isinstance(target, requests.Path):
            return lambda: plan_path(target, situation, configuration, is_over)
        return lambda: plan_target(target, situation, configuration)

    def finish(self, result: Answer | None, now: Now) -> None:
        """Take the result of the job; None if it failed."""
        assert self.waiting.job is not None  # noqa: S101  # one was handed out
        (request, configuration), self.waiting.job = self.waiting.job, None
        current, state_fault = self.waiting.current, self._state_watch.fault(now)
        if request.is_query:
            if result is not None:
                self._put(result.report, request, now)
        elif current is None or current.number != request.number:
            pass  # dropped: a newer target has come, or it was forgotten
        elif result is None or (request.is_replan and self.answer is None):
            self.waiting.current = None
        elif configuration is not self.configuration or (isinstance(result, Going) and state_fault):
            pass  # it stays current: it is planned again
        elif request.is_replan:
            going, motion = self.answer, self.supervisor.arm_motion
            if motion.blocked and isinstance(going, Going) and not isinstance(result, Going):
                result = stopped_at_wall(going, motion.blocked, motion.goal, configuration)
            self._replace_answer(request, result, now)
        else:
            self._accept(request, result, now)

    def configure(self, configuration: Configuration, effects: frozenset[Effect], now: Now) -> None:
        """Take over other settings of the same joints, and plan the last target again.

        The effects are those of the changes.
        """
        self.configuration = self._state_watch.configuration = configuration
        self.supervisor.configure(configuration.commanded_joints)
        if Effect.SOLVING not in effects:
            return
        answer = self.answer
        if not isinstance(answer, Solved) or self._state_watch.fault(now):
            self.publish_interval = 0.0
        elif answer.aim is not None:
            again = self.request._replace(target=answer.target, is_replan=True)
            if (result := self._plan_at_once(again, now)) is not None:
                self._replace_answer(self.request, result, now)
            elif self.waiting.current is None:
                self.waiting.current = again
        else:  # a path that was judged, or a jog, for another arm or another solver
            self.answer = None
            self.supervisor.stop()
            self._on_change(now)

    def measure(self, names: Sequence[str], positions: Sequence[float], now: Now) -> list[str]:
        """Take measured positions in rad or m, by names; return the problems that are new."""
        problems = self._state_watch.measure(names, positions, now)
        self._check_changes(now)
        return problems

    def tick(self, now: Now, due: int, period: float, controller_fault: str = '') -> None:
        """Go on with the motion, with a tick that was due at a time in ns of the arm's clock.

        There are ``period`` s between ticks; a controller fault is why it takes no commands.
        """
        self._state_watch.pass_time(now)
        if not now.fault:
            step, elapsed, lost = self._ticks.tick(due, now.steady, period, now.is_simulated)
            if self._jogs.active:
                self._advance_jogs(step, now)
            self.supervisor.controller_fault = controller_fault
            self.supervisor.advance(step, elapsed, lost)
            self.publish_interval = step
        self._check_changes(now)

    def look(self, now: Now) -> None:
        """Let time pass, and report changes."""
        self._state_watch.pass_time(now)
        self._check_changes(now)

    def repeat(self, now: Now) -> None:
        """Repeat the status, with the present distance from the target."""
        supervisor, answer = self.supervisor, self.answer
        changes = supervisor.is_under_way or supervisor.measured is not None
        if isinstance(answer, Solved) and changes:
            self._report(self._current_report(now), now)
        elif self.last is not None:
            self._put(*self.last, now)

    # --- planning ---------------------------------------------------------------------------------

    def _plan_at_once(self, request: PendingRequest, now: Now) -> Answer | None:
        """Plan a target; None if that is left to a job."""
        return plan_at_once(request.target, self._situation(request, now), self.configuration)

    def _situation(self, request: PendingRequest, now: Now) -> Situation:
        """Return the situation in which a target is planned now, or again."""
        answer, supervisor = self.answer, self.supervisor
        going = answer if isinstance(answer, Going) and supervisor.is_under_way else None
        if request.is_replan:
            if supervisor.arm_motion.blocked or (going and going.goal.trajectory):
                going = None
            frame = answer.frame if isinstance(answer, Solved) else None
            return self._fresh_situation(frame, under_way=going)
        target, clock_fault, moves = request.target, now.fault, not request.is_query
        if isinstance(target, requests.Jogging):
            moves = any(target.velocities)
        time = target.stamp.time
        return self._fresh_situation(
            self._frame_of(target),
            moves=moves,
            under_way=going,
            age=(now.clock - time) * 1e-9 if time and not clock_fault else 0.0,
            clock_fault=clock_fault,
            state_fault=self._state_watch.fault_for(target),
            is_disabled=self.is_disabled,
            last=answer,
        )

    def _fresh_situation(self, frame: Plane | Missing | None, **more: Any) -> Situation:
        """Return the situation of the arm as it is now, for a target in a frame."""
        start = self.supervisor.planning_start
        bent = side_of(self.configuration.arm, start)
        self._side = bent or self._side
        return Situation(start, frame=frame, side=0 if bent else self._side, **more)

    def _frame_of(self, target: Target) -> Plane | Missing | None:
        """Return the pose of a target's frame in the base frame; None if it is that."""
        base_frame = self.configuration.arm.base_frame
        if target.frame_id in ('', base_frame):
            return None
        is_zero = isinstance(target, requests.Jog) and not any(target.velocities)  # in any frame
        if target.fault or target.stamp.fault or is_zero:
            return None
        return self._frames(target.frame_id, base_frame, target.stamp.time)

    def _begin(
        self, request: PendingRequest, older: Sequence[PendingRequest], now: Now
    ) -> Answer | None:
        """Plan the next target, or leave it to a job; older ones are superseded."""
        waited = [e for e in (self.waiting.current, *older) if e and e.number != request.number]
        self._supersede(waited, now)
        self.waiting.current, self.waiting.waits_for_state = request, False
        self._jogs.end([ARM])
        result = self._plan_at_once(request, now)
        if result is not None:
            self._accept(request, result, now)
        return result

    def _accept(self, request: PendingRequest, result: Answer, now: Now) -> None:
        """Follow the answer to a target, and report it."""
        self.waiting.current, self.request = None, request.stamped(now)
        refused = Code[result.report.code] if isinstance(result, Refused) else None
        is_end, is_postponed = refused is Code.READY, refused in (Code.NO_CLOCK, Code.NO_STATE)
        self.answer = None if is_end or is_postponed else result
        if isinstance(request.target, requests.Joints) and isinstance(result, Going):
            self._jogs.move_to(request.target, self.configuration.control)
        self._follow(result, self._ticks.since(now.clock), now)
        if is_postponed and request.may_wait and not self.supervisor.was_ever_known:
            self.waiting.current, self.waiting.waits_for_state = self.request, True
            if self._is_early and not now.fault:
                return  # its status comes when the pose is known, or missed
        if refused and not is_end:
            report = with_rest_words(result.report, self.supervisor)
        else:
            report = self._current_report(now)
        self._report(report, now)

    def _follow(self, result: Answer, since: float | None, now: Now) -> None:
        """Move as an answer says, or stop.

        ``since`` is the time in s from the last tick to one that may be of a stream; else None.
        """
        supervisor = self.supervisor
        if isinstance(result, Going):
            takes_time = supervisor.arm_motion.limits.takes_time
            # An arm that moves at once follows no stream of targets.
            supervisor.go(result.goal, since if takes_time else None)
            self.goal_count += 1
            if not takes_time:
                self.publish_interval = 0.0
                self._publish(now)
        else:
            supervisor.stop()
            if now.fault:  # this may be the first to find it
                supervisor.abort()
            if supervisor.is_braking and self.answer is result and isinstance(result, Staying):
                self.answer = replace(result, at_goal=False)  # it stops elsewhere
        self._reported_state = self._state(now)

    def _replace_answer(self, request: PendingRequest, result: Answer, now: Now) -> None:
        """Follow another answer to the newest target, and report it."""
        if self.waiting.current and self.waiting.current.is_replan:
            self.waiting.current = None
        self.answer, self.request = result, request
        self._follow(result, None, now)
        self._report(self._current_report(now), now)

    def _stop(self, now: Now, hands_over: bool = False) -> Reply:
        self.answer = None
        self._jogs.end()
        self._forget_waiting(now)
        (self.supervisor.hand_over if hands_over else self.supervisor.stop)()
        self._on_change(now, is_asked=True)
        return Reply(True, describe_rest(self.supervisor, self.configuration.arm))

    def _go_at_once(self, request: PendingRequest, now: Now) -> Reply:
        result = self._begin(request, self.waiting.clear(), now)
        if result is None:
            return Reply(True, 'A way past the walls is sought.')
        is_solved = isinstance(result, Solved)
        report = result.report if is_solved else with_rest_words(result.report, self.supervisor)
        return Reply(is_solved, report.message)

    def _enable(self, is_on: bool, now: Now) -> Reply:
        if is_on:
            self._state_watch.confirm()
        if is_on and not self.is_disabled:
            self._check_changes(now)
            rest = describe_rest(self.supervisor, self.configuration.arm)
            return Reply(True, f'The arm is enabled. {rest}')
        self.is_disabled = not is_on
        more = 'It moves again when it is asked to.' if is_on else 'It is disabled.'
        return Reply(True, f'{self._stop(now, hands_over=not is_on).message} {more}')

    # --- joints that are held, and jogging --------------------------------------------------------

    def _move_held(self, target: requests.Joints, request: PendingRequest, now: Now) -> bool:
        """Move held joints alone; False if the arm is asked, too, or the target is refused."""
        configuration = self.configuration
        if not {*target.names} <= {*configuration.control.holds}:
            return False
        situation = self._situation(request, now)
        if isinstance(aim_of(target, situation, configuration), Refused):
            return False
        self._jogs.move_to(target, configuration.control)
        self.goal_count += 1
        self.look(now)
        return True

    def _jog(self, jog: requests.Jogging, request: PendingRequest, now: Now) -> None:
        """Jog the arm or held joints until the next message; or refuse that and brake."""
        configuration, situation = self.configuration, self._situation(request, now)
        if situation.age > configuration.settings.jog_timeout and not jog.stamp.fault:
            return  # an old jog does not count
        aim = aim_of(jog, situation, configuration)
        if isinstance(aim, Refused):
            self._refuse_jog(aim, request, now)
            return
        begun, ended = self._jogs.receive(jog, situation.frame, now.steady, configuration)
        self.goal_count += len(begun)
        if ARM in ended:
            self._brake_jog(now)
        elif ARM in begun:
            if older := self.waiting.clear():
                self._supersede(older, now)
                self._jogs.reported = -math.inf  # the last status is to be about the newest
            self.answer, self.request = None, request  # until the next tick
            self.supervisor.go(Goal(velocities={}))

    def _refuse_jog(self, refused: Refused, request: PendingRequest, now: Now) -> None:
        """Report once why a jog is refused; it brakes jogs, and leaves a target alone."""
        report = refused.report
        is_new, was_jogged = self._jogs.refuse(report.code, now.steady, self.configuration)
        if was_jogged:
            self.answer = None
            self.supervisor.stop_arm()
        answer = self.answer
        is_idle = answer is None or isinstance(answer.target, requests.Jogging)
        if is_idle and not self.waiting.has_target:
            self.answer, self.request = refused, request
        elif is_new:
            words = f'{report.message} The jog is ignored.'
            report = report._replace(message=words, moving=self._current_report(now).moving)
            self._put(report, request, now)
        if is_new:
            self._report(self._current_report(now), now)

    def _advance_jogs(self, dt: float, now: Now) -> None:
        """Go on with jogs for a period of so many s, or end them."""
        configuration, supervisor = self.configuration, self.supervisor
        if supervisor.fault or not supervisor.has_goal:  # something has ended them
            self._jogs.end()
        if ARM in self._jogs.expire(now.steady, configuration):
            self._brake_jog(now)
        if ARM in self._jogs.active and dt > 0.0:
            jog, frame = self._jogs.active[ARM]
            here, blocked = self._fresh_situation(frame), supervisor.arm_motion.blocked
            self.answer = plan_jog(jog, here, configuration, dt, blocked)
            supervisor.go(self.answer.goal)
        if self._jogs.active and now.steady - self._jogs.reported >= REPORT_PERIOD:
            self._jogs.reported = now.steady
            self._report(self._current_report(now), now)

    def _brake_jog(self, now: Now) -> None:
        self.answer = None
        self.supervisor.stop_arm()
        self._on_change(now, is_asked=True)  # also where nothing has moved yet

    # --- superseded and forgotten targets ---------------------------------------------------------

    def _supersede(self, older: Iterable[PendingRequest], now: Now) -> None:
        """Report superseded targets."""
        for each in older:
            self._put(Report.of(Code.NOT_CONVERGED, OVERTAKEN), each, now)

    def _forget_waiting(self, now: Now) -> None:
        """Forget the targets that are not answered yet; the next status is the newest one's."""
        if waiting := self.waiting.clear():
            self._supersede(waiting[:-1], now)
            self.request = waiting[-1].stamped(now)

    @property
    def _is_early(self) -> bool:
        """Whether an unknown pose is not reported yet: it may be known in a moment."""
        seen, last = self.supervisor.measurements, self.last
        is_first = last is None or last.report.code == Code.NO_CLOCK.name
        return is_first and seen is not None and seen.has_just_started and bool(seen.fault)

    def _check_changes(self, now: Now) -> None:
        motion, answer = self.supervisor.arm_motion, self.answer
        if (
            motion.blocked
            and isinstance(answer, Going)
            and not (ARM in self._jogs.active or self._state_watch.fault(now))
        ):
            if answer.aim is None or self.request.is_replan:
                stopped = stopped_at_wall(answer, motion.blocked, motion.goal, self.configuration)
                self._replace_answer(self.request, stopped, now)
            elif self.waiting.current is None:
                self.waiting.current = self.request._replace(is_replan=True)
        if self._state(now) != self._reported_state:
            self._on_change(now)
        else:
            self._state_watch.note_placed(now)

    def _state(self, now: Now) -> tuple[object, ...]:
        """Return the values whose change triggers a status; not the goals of jogged joints."""
        supervisor, known, jogged = self.supervisor, self._state_watch, self._jogs.active
        return (
            self._is_early,
            self.is_disabled and supervisor.is_commanding,
            supervisor.has_goal,
            supervisor.is_at_goal,
            supervisor.is_off_goal,
            supervisor.is_braking,
            supervisor.fault_count,
            supervisor.stop_reason,
            supervisor.waits_for,
            [joint.motion.goal for joint in supervisor.auxiliary if joint.name not in jogged],
            now.fault,
            supervisor.fault,
            bool(known.state_fault),
            known.is_returning,
            bool(known.misplaced),
        )

    def _on_change(self, now: Now, is_asked: bool = False) -> None:
        """Act on a change of motion, pose or clock; report it, or begin the target that waits."""
        supervisor, answer = self.supervisor, self.answer
        if now.fault:
            supervisor.abort()
        is_faulty = bool(self._state_watch.fault(now))
        if self._state_watch.note_faults(now):
            self._forget_waiting(now)
            if is_faulty:
                supervisor.stop()
        is_over = not supervisor.has_goal if isinstance(answer, Going) else is_faulty
        if is_over:
            self.answer = None
        self._reported_state = self._state(now)
        if self._is_early and not (now.fault or is_asked):
            return
        if (waits := self.waiting.current) and self.waiting.waits_for_state and not is_faulty:
            # Targets that wait for their frames are newer: the current one goes ahead of them.
            self._begin(waits, (), now)
        else:
            self._report(self._current_report(now), now)

    # --- statuses ---------------------------------------------------------------------------------

    def _report(self, report: Report, now: Now) -> None:
        self.last = self._put(report, self.request, now)

    def _put(self, report: Report, request: PendingRequest, now: Now) -> StatusUpdate:
        """Add a status, and whether anything is commanded."""
        report = report._replace(commanding=self.supervisor.phase is not Phase.SILENT)
        update = StatusUpdate(report, request.stamped(now))
        self.updates.append(update)
        return update

    def _current_report(self, now: Now) -> Report:
        """Return the present status."""
        return current_report(self.answer, self._state_watch, now, self.is_disabled)
