"""A node whose parameters are those of a table: declared, judged and changed as a whole."""

from __future__ import annotations

import copy
import inspect
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Generic, TypeVar

from rcl_interfaces.msg import (
    FloatingPointRange,
    IntegerRange,
    ParameterDescriptor,
    SetParametersResult,
)
from rclpy.logging import LoggingSeverity
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from rclpy.qos_overriding_options import QoSOverridingOptions
from rclpy.subscription import Subscription

from ik2d_ros.parameters.checks import ConfigError, shown
from ik2d_ros.parameters.table import Effect, Table, same
from ik2d_ros.parameters.wording import printable
from ik2d_ros.ros import qos
from ik2d_ros.ros.faults import Faults

_Settings = TypeVar('_Settings')

# What belongs to ROS itself; rclpy declares some of these on some distributions only.
ROS_PARAMETERS = ('use_sim_time', 'qos_overrides.', 'start_type_description_service')


class ParameterNode(Node, Generic[_Settings]):
    """A node with a table of parameters.

    Attributes:
        settings: what the parameters say, judged as a whole.
        given: names of its parameters that it was started with.
        faults: what its callbacks raised, which ends nothing.

    Raises:
        ConfigError: a parameter is refused; at construction only, a change at run time is
            answered with the message.
    """

    def __init__(
        self,
        name: str,
        table: Table,
        judge: Callable[[Mapping[str, object]], _Settings],
        neighbours: Sequence[Table] = (),
    ) -> None:
        """Read, judge and declare the parameters.

        Args:
            name: of the node.
            table: its parameters.
            judge: makes the settings of all values by name, or raises ConfigError.
            neighbours: the tables of other nodes, whose parameters arrive here too where one file
                is for any node (``/**``).
        """
        # Undeclared parameters are allowed so that a mistyped one, or one of a family that was not
        # given at start-up, comes to our check and is not refused in rclpy's words.
        super().__init__(name, allow_undeclared_parameters=True, **_logger_services())
        self.faults = Faults(self.get_logger().error)
        self._table, self._judge = table, judge
        overrides = self._read_overrides(neighbours)
        self.given = tuple(overrides)
        self._values: dict[str, object] = {**table.defaults, **overrides}
        self.settings = judge(self._values)
        for parameter, value in self._values.items():
            # What was given may be a text; what was read from it is what holds.
            self.declare_parameter(
                parameter, value, _descriptor(table, parameter), ignore_override=True
            )

    def debug(self, text: Callable[[], str]) -> None:
        """Log what is made only where somebody wants to read it."""
        logger = self.get_logger()
        if logger.is_enabled_for(LoggingSeverity.DEBUG):
            logger.debug(text())

    def publish_overridable(self, kind: type, topic: str, profile: QoSProfile) -> Publisher:
        """A publisher whose quality of service parameters may override.

        Raises:
            ConfigError: such a parameter is refused.
        """
        return self.create_publisher(
            kind,
            topic,
            self._checked_profile(topic, 'publisher', profile),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def subscribe_overridable(
        self, kind: type, topic: str, callback: Callable[[Any], None], profile: QoSProfile
    ) -> Subscription:
        """A subscription whose quality of service parameters may override.

        Raises:
            ConfigError: such a parameter is refused.
        """
        return self.create_subscription(
            kind,
            topic,
            callback,
            self._checked_profile(topic, 'subscription', profile),
            qos_overriding_options=QoSOverridingOptions.with_default_policies(),
        )

    def _checked_profile(self, topic: str, end: str, profile: QoSProfile) -> QoSProfile:
        """A profile for rclpy to write overrides into, once they are known to be good."""
        for policy, check in qos.OVERRIDES.items():
            name = f'qos_overrides.{self.resolve_topic_name(topic)}.{end}.{policy}'
            given = self._parameter_overrides.get(name)
            if given is not None:
                check(name, given.value, check.words)
        return copy.copy(profile)

    def on_change(self, effects: frozenset[Effect]) -> None:
        """Act on new settings; a node that has to do something overrides this.

        Args:
            effects: what the changed parameters affect.
        """

    def set_parameters_atomically(self, parameter_list: list[Any]) -> SetParametersResult:
        """Judge a change as a whole, let rclpy store it, then act on it.

        Every change at run time, by a service or not, comes through here. rclpy's callbacks would
        not do: its own checks speak before them, in words that name neither value nor range, and
        a callback after the set does not exist on Humble.

        Args:
            parameter_list: the parameters to change; one without a value goes back to its default.
        """
        parameter_list = [self._read(p) for p in parameter_list if not self._is_settled(p)]
        if not parameter_list:
            return SetParametersResult(successful=True)
        # What ROS has not declared by now is nobody's, and would be stored without an end.
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
        if not result.successful:
            theirs = [f"'{p.name}' to {shown(p.value)}" for p in stored if p.name not in changes]
            reason = f'ROS refuses to set {", ".join(theirs)}: {result.reason}'
            return SetParametersResult(successful=False, reason=reason)
        for name in values.keys() & changes.keys():
            self.set_descriptor(name, _descriptor(self._table, name))
        self.debug(
            lambda: 'set: ' + ', '.join(f'{printable(p.name)} = {shown(p.value)}' for p in stored)
        )
        effects = self._table.effects(self._values, values)
        self.settings, self._values = settings, values
        self.on_change(effects)
        return result

    def set_parameters(self, parameter_list: list[Any]) -> list[SetParametersResult]:
        """Set parameters one after the other, each judged beside the others as they stand."""
        return [self.set_parameters_atomically([parameter]) for parameter in parameter_list]

    def _read(self, parameter: Any) -> Any:
        """A parameter with the number that its text is, where one is due."""
        value = self._table.read(parameter.name, parameter.value)
        return parameter if value is parameter.value else Parameter(parameter.name, value=value)

    def _is_settled(self, parameter: Any) -> bool:
        """Whether it is read-only, and is already what it is set to, as from our own dump."""
        return (
            self.has_parameter(parameter.name)
            and self.describe_parameter(parameter.name).read_only
            and same(self.get_parameter(parameter.name).value, parameter.value)
        )

    def _read_overrides(self, neighbours: Sequence[Table]) -> dict[str, object]:
        """The parameters of the table that the node was started with, not checked yet."""
        given = {
            # An empty list arrives without a type and hence without a value.
            name: [] if parameter.value is None else self._table.read(name, parameter.value)
            for name, parameter in self._parameter_overrides.items()
            if not self._belongs_to_ros(name)
        }
        strangers = self._table.unknown(
            name for name in given if not any(table.is_known(name) for table in neighbours)
        )
        if strangers:
            self.get_logger().warning(
                f'ignored, for no parameters of mine: {", ".join(strangers)} '
                f'(valid are {self._table.valid})'
            )
        return {name: value for name, value in given.items() if self._table.is_known(name)}

    def _belongs_to_ros(self, name: str) -> bool:
        """Whether a parameter is rclpy's own business."""
        return not self._table.is_known(name) and (
            self.has_parameter(name) or name.startswith(ROS_PARAMETERS)
        )


def _logger_services() -> dict[str, Any]:
    """The services to see and to change the log level of a node; Humble has none."""
    name = 'enable_logger_service'
    return {name: True} if name in inspect.signature(Node.__init__).parameters else {}


def _descriptor(table: Table, name: str) -> ParameterDescriptor:
    what, allowed = table.description(name)
    least, most = table.bounds(name) or (None, None)
    # For sliders; rclpy checks them too, but not before we have.
    floating, integer = [], []
    if isinstance(least, float) and isinstance(most, float):
        floating = [FloatingPointRange(from_value=least, to_value=most)]
    elif isinstance(least, int) and isinstance(most, int):
        integer = [IntegerRange(from_value=least, to_value=most, step=1)]
    return ParameterDescriptor(
        name=name,
        description=what,
        additional_constraints=allowed,
        read_only=table.is_read_only(name),
        floating_point_range=floating,
        integer_range=integer,
        # Our check judges types too: a whole number is welcome wherever a number is.
        dynamic_typing=True,
    )
