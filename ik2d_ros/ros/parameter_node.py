"""A node with a table of parameters, which change as a whole, and the executor that spins it."""

from __future__ import annotations

import contextlib
import functools
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Generic, TypeVar

from rcl_interfaces.msg import ParameterDescriptor, SetParametersResult
from rcl_interfaces.srv import GetParameterTypes
from rclpy.clock import Clock, ClockType
from rclpy.executors import Executor, ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.service import Service
from rclpy.subscription import Subscription
from rclpy.task import Future
from rclpy.timer import Timer
from rclpy.utilities import ok

from ik2d_ros.parameters.checks import ConfigError, Truth, printable
from ik2d_ros.parameters.table import QOS_OVERRIDES, ROS_PARAMETERS, Effect, Table

_Settings = TypeVar('_Settings')

POLL_TICK = 0.05  # s; periods of polling are multiples of it
SECONDS_BETWEEN_LOGS = 1.0
PAUSE = 1e-3  # s; without it, a recurring exception would use a whole core
LONGEST_MESSAGE = 300  # characters of an exception's message

# The longest wait. Without an end to it, spin() of the EventsExecutor uses a whole core and
# delivers nothing, in Jazzy and in Kilted.
TURN = 1.0  # s

_PACKAGE = Path(__file__).resolve().parents[1]


class ParameterNode(Node, Generic[_Settings]):
    """A node with a table of parameters.

    Attributes:
        settings: the settings made of the parameters.
        fault_count: how many callbacks have raised, which does not end the node.
        others: nodes that are spun with it.
        ignored: parameters that it ignores without a warning: what a file for any node gives it.

    Raises:
        ConfigError: a parameter is refused at the start; later, a change is answered with that.
    """

    ignored: ClassVar[Sequence[Table]] = ()
    fault_count = 0

    def __init__(
        self,
        name: str,
        table: Table,
        judge: Callable[[Mapping[str, object]], _Settings],
        complete: Callable[[Mapping[str, object]], Mapping[str, object]] | None = None,
        arguments: Sequence[str] = (),
        first: ParameterNode[Any] | None = None,
    ) -> None:
        """Read, check and declare the parameters of a table.

        ``judge`` makes the settings from all values by name. ``complete`` adds to the values that
        the node was started with; what is not in the table is left out. Both may raise ConfigError.
        ``arguments`` are ROS arguments for this node alone, which go before those of the process.
        The timer for polling of the ``first`` node of a process serves all others, too.
        """
        self.others: list[Node] = []
        self._table, self._judge = table, judge
        # Undeclared parameters are allowed so that a mistyped one, or one of a family that was not
        # given at start-up, is checked here and not refused by rclpy with its own message.
        super().__init__(
            name,
            cli_args=[*arguments],
            allow_undeclared_parameters=True,
            automatically_declare_parameters_from_overrides=True,
        )
        self._poll_count = 0
        # Each with its period in ticks.
        self._polls: list[tuple[int, Callable[[], Any]]] = [] if first is None else first._polls
        if first is None:
            steady = Clock(clock_type=ClockType.STEADY_TIME)
            self.create_timer(POLL_TICK, self._poll, clock=steady)
        own = self._read_given()
        if complete is not None:
            own = {name: value for name, value in complete(own).items() if table.is_known(name)}
        self._values: dict[str, object] = {**table.defaults, **own}
        self.settings = judge(self._values)
        for parameter, value in self._values.items():
            # The given value may be a string; the value read from it counts.
            self.declare_parameter(
                parameter, value, _descriptor(table, parameter), ignore_override=True
            )

    def create_subscription(
        self, msg_type: Any, topic: str, callback: Any, *how: Any, **rest: Any
    ) -> Subscription:
        """Create a subscription whose callback may raise.

        The executor does not know which node a callback belongs to, and the EventsExecutor logs a
        traceback for every exception.
        """
        return super().create_subscription(msg_type, topic, self.guarded(callback), *how, **rest)

    def create_service(
        self, srv_type: Any, srv_name: str, callback: Any, *how: Any, **rest: Any
    ) -> Service:
        """Create a service whose callback may raise; rclpy creates its own here, too."""
        answers = functools.partial(self._serve, callback)
        return super().create_service(srv_type, srv_name, answers, *how, **rest)

    def create_timer(self, timer_period_sec: float, callback: Any, *how: Any, **rest: Any) -> Timer:
        """Create a timer whose callback may raise."""
        return super().create_timer(timer_period_sec, self.guarded(callback), *how, **rest)

    def guarded(self, callback: Callable[..., Any]) -> Callable[..., None]:
        """Return a function that notes an exception of a callback as this node's."""

        @functools.wraps(callback)  # rclpy looks at how many arguments it takes
        def call(*arguments: Any) -> None:
            try:
                callback(*arguments)
            except Exception as error:
                # A signal shuts ROS down from another thread, under whatever was going on.
                if ok():
                    self.note(error)

        return call

    def note(self, error: Exception) -> None:
        """Count an exception, log it unless another one was logged just before, and pause."""
        self.fault_count += 1
        self.get_logger().error(
            f'internal error {self.fault_count} since start, continuing: {cause(error)}',
            throttle_duration_sec=SECONDS_BETWEEN_LOGS,
        )
        time.sleep(PAUSE)

    def _serve(self, callback: Callable[[Any, Any], Any], request: Any, response: Any) -> Any:
        """Answer a request to a service; without an answer the caller would wait forever.

        After an exception the answer is empty, with the cause as its ``message`` if it has such a
        field.
        """
        try:
            # rclpy's own callback raises for unknown names.
            if isinstance(request, GetParameterTypes.Request):
                response.types = [self.get_parameter_or(name).type_.value for name in request.names]
            else:
                response = callback(request, response)
        except Exception as error:
            self.note(error)
            response = type(response)()
            if hasattr(response, 'message'):
                response.message = f'internal error: {cause(error)}'
        return response

    def poll_every(self, period: float, callback: Callable[[], Any]) -> None:
        """Call a function periodically, in wall time; it may raise.

        One timer serves all nodes of a process: a timer for each function would wake the process
        for each, and the EventsExecutor has a thread for every clock with timers. Periods are in s.
        """
        guarded = self.guarded(callback)
        self._polls.append((round(period / POLL_TICK), guarded))

    def _poll(self) -> None:
        self._poll_count += 1
        for ticks, callback in self._polls:
            if self._poll_count % ticks == 0:
                callback()

    def stop(self) -> bool:
        """Come to rest before the process ends, and return whether that is done."""
        return True

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Act on new settings, of changed parameters with these effects; for nodes to override."""

    def set_parameters_atomically(self, parameter_list: list[Any]) -> SetParametersResult:
        """Check a change as a whole, let rclpy store it, then act on it.

        Every change at run time, by a service or not, passes through here. rclpy's callbacks are
        not sufficient: its own checks come first, with messages that name neither value nor range,
        and Humble has no callback after the set. A parameter without a value is reset to its
        default.
        """
        # Strings are read as numbers where the row requires one.
        read = [(p, self._table.read(p.name, p.value)) for p in parameter_list]
        parameter_list = [p if p.value is v else Parameter(p.name, value=v) for p, v in read]
        # Parameters that ROS has not declared by now are unknown, and would be stored forever.
        changes = {
            p.name: p.value
            for p in parameter_list
            if not (self.has_parameter(p.name) and self._belongs_to_ros(p.name))
        }
        try:
            values = self._table.merged(self._values, changes)
            settings = self._judge(values)
        except ConfigError as error:
            return SetParametersResult(successful=False, reason=str(error))
        stored = [
            Parameter(p.name, value=values[p.name]) if p.name in self._table else p
            for p in parameter_list
        ]
        result = super().set_parameters_atomically(stored)
        if not result.successful:  # a parameter of ROS
            return result
        for name in values.keys() & changes.keys():
            self.set_descriptor(name, _descriptor(self._table, name))
        effects = self._table.effects(self._values, values)
        self.settings, self._values = settings, values
        self.on_change(effects)
        return result

    def set_parameters(self, parameter_list: list[Any]) -> list[SetParametersResult]:
        """Set parameters one by one, each checked with the current values of the others."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def declare_parameters(
        self, namespace: str, parameters: Any, ignore_override: bool = False
    ) -> list[Any]:
        """Declare parameters of any type: an empty list that the node was given has none."""
        for name, _, how in parameters:
            how.dynamic_typing = not name.startswith(QOS_OVERRIDES)  # whose types rclpy checks
        return super().declare_parameters(namespace, parameters, ignore_override)

    def _read_given(self) -> Mapping[str, object]:
        """Return what the node was started with, unchecked and undeclared; warn of the unknown.

        Raises:
            ConfigError: ``use_sim_time`` is refused, which rclpy would only log.
        """
        given: Mapping[str, Any] = self.get_parameters_by_prefix('')
        Truth()('use_sim_time', given['use_sim_time'].value, Truth.words)
        for name in given:
            if name not in ROS_PARAMETERS:
                self.undeclare_parameter(name)
        others = [
            name
            for name in given
            if not (self._belongs_to_ros(name) or any(each.is_known(name) for each in self.ignored))
        ]
        if unknown := self._table.unknown(others):
            self.get_logger().warning(
                f'ignored unknown parameters: {unknown} (valid are {self._table.valid})'
            )
        return {
            # An empty list arrives without a type and therefore without a value.
            name: [] if parameter.value is None else self._table.read(name, parameter.value)
            for name, parameter in given.items()
            if self._table.is_known(name)
        }

    def _belongs_to_ros(self, name: str) -> bool:
        """Return whether rclpy handles a parameter itself."""
        return not self._table.is_known(name) and (
            self.has_parameter(name) or name.startswith(ROS_PARAMETERS)
        )


def _descriptor(table: Table, name: str) -> ParameterDescriptor:
    """Return the description of a parameter for ROS tools."""
    # The table checks types: a whole number is accepted wherever a number is.
    shown_as = ParameterDescriptor(name=name, dynamic_typing=True)
    if (row := table.row(name)) is not None:
        shown_as.description = f'{row.description} [{row.unit}]' if row.unit else row.description
        shown_as.additional_constraints, shown_as.read_only = row.allowed, row.affects is None
    return shown_as


def cause(error: BaseException) -> str:
    """Describe an exception in one line: its type, its message, and its place in this package.

    If none of its frames is in this package, the innermost frame is given.
    """
    where, frames = '', traceback.extract_tb(error.__traceback__)
    ours = [frame for frame in frames if _PACKAGE in Path(frame.filename).parents]
    if frames:
        frame = (ours or frames)[-1]
        file = Path(*Path(frame.filename).parts[-3:])
        where = f', in {file}:{frame.lineno} ({frame.name})'
    return f'{type(error).__name__}: {printable(str(error), LONGEST_MESSAGE)}{where}'


def create_executor(is_single: bool = False) -> Any:
    """Create the EventsExecutor where rclpy has it, else the single-threaded, in its context.

    The EventsExecutor, written in C++, takes half the processor time and answers sooner. It came
    with Jazzy, is still called experimental, and runs tasks, but no guard conditions.
    """
    if not is_single:
        with contextlib.suppress(ImportError):
            from rclpy.experimental import EventsExecutor  # noqa: PLC0415

            return EventsExecutor()
    # Not rclpy's global executor: if created after a shutdown, it raises.
    return SingleThreadedExecutor()


def spin(executor: Any, nodes: Sequence[Any]) -> None:
    """Run the callbacks of nodes until their context, rclpy's default one, is shut down.

    The first node, a ``ParameterNode``, notes exceptions of rclpy's own callbacks.
    """
    for node in nodes:
        executor.add_node(node)
    while ok():
        try:
            if isinstance(executor, Executor):
                executor.spin()
            else:
                # Not spin_once, which comes back to Python after every callback. A new future each
                # time, as it may keep the functions that it was given to call.
                executor.spin_until_future_complete(Future(), TURN)
        except ExternalShutdownException:  # noqa: PERF203  # the loop is for these exceptions
            return
        except Exception as error:
            # ROS was shut down under whatever was going on.
            if not ok():
                return
            nodes[0].note(error)
