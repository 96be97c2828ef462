"""Parameter services that answer every request; rclpy's raise for some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import (
    DescribeParameters,
    GetParameters,
    GetParameterTypes,
    ListParameters,
    SetParameters,
    SetParametersAtomically,
)
from rclpy.exceptions import ParameterException
from rclpy.node import Node
from rclpy.parameter import Parameter

from ik2d_ros.ros.callback_errors import CallbackErrors, cause

SERVICES = (
    *(DescribeParameters, GetParameters, GetParameterTypes),
    *(ListParameters, SetParameters, SetParametersAtomically),
)
TYPES = range(10)  # of rcl_interfaces/ParameterType


def guard_parameter_services(node: Node, faults: CallbackErrors) -> None:
    """Make the parameter services of a node answer every request.

    rclpy raises for a value of an invalid type, and for the type of an unknown parameter: the
    caller would wait forever.

    Args:
        node: the node.
        faults: counts remaining exceptions.
    """
    for service in node.services:
        if service.srv_type in SERVICES:
            service.callback = partial(_answer, node, faults, service.callback)


def _answer(
    node: Node,
    faults: CallbackErrors,
    original: Callable[[Any, Any], Any],
    request: Any,
    response: Any,
) -> Any:
    try:
        if isinstance(request, SetParameters.Request):
            response.results = [_set(node, faults, [one]) for one in request.parameters]
        elif isinstance(request, SetParametersAtomically.Request):
            response.result = _set(node, faults, request.parameters)
        elif isinstance(request, GetParameterTypes.Request):
            response.types = [node.get_parameter_or(name).type_.value for name in request.names]
        else:
            response = original(request, response)
    except Exception as error:
        faults.note(error)
        return type(response)()
    return response


def _set(
    node: Node, faults: CallbackErrors, parameters: Sequence[ParameterMessage]
) -> SetParametersResult:
    """Set parameters atomically, or return the reason of the refusal."""
    for parameter in parameters:
        if parameter.value.type not in TYPES:
            return _refused(
                f"parameter '{parameter.name}' is of type {parameter.value.type}; its type must be "
                f'one of {TYPES[0]} to {TYPES[-1]}, as in rcl_interfaces/msg/ParameterType'
            )
    try:
        return node.set_parameters_atomically([*map(Parameter.from_parameter_msg, parameters)])
    except ParameterException as error:
        return _refused(str(error))
    except Exception as error:
        faults.note(error)
        return _refused(f'internal error: {cause(error)}')


def _refused(reason: str) -> SetParametersResult:
    return SetParametersResult(successful=False, reason=reason)
