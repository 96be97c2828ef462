"""Answering every request to a service, also where the callback raises."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from rcl_interfaces.msg import Parameter as ParameterMessage
from rcl_interfaces.msg import SetParametersResult
from rcl_interfaces.srv import GetParameterTypes, SetParameters, SetParametersAtomically
from rclpy.exceptions import ParameterException
from rclpy.parameter import Parameter

from ik2d_ros.ros.callback_errors import cause

TYPES = range(10)  # of rcl_interfaces/ParameterType


def answer(node: Any, callback: Callable[[Any, Any], Any], request: Any, response: Any) -> Any:
    """Answer a request to a service of a node; without an answer the caller would wait forever.

    rclpy's own parameter services raise for a value of an invalid type, and for the type of an
    unknown parameter.

    Args:
        node: the ``ParameterNode``, whose ``faults`` counts exceptions.
        callback: the service's callback.
        request: the request.
        response: the response to fill in.

    Returns:
        The response; after an exception an empty one, with the cause as its ``message`` if it has
        such a field.
    """
    try:
        if isinstance(request, SetParameters.Request):
            response.results = [_set(node, [one]) for one in request.parameters]
        elif isinstance(request, SetParametersAtomically.Request):
            response.result = _set(node, request.parameters)
        elif isinstance(request, GetParameterTypes.Request):
            response.types = [node.get_parameter_or(name).type_.value for name in request.names]
        else:
            response = callback(request, response)
    except Exception as error:
        node.faults.note(error)
        response = type(response)()
        if hasattr(response, 'message'):
            response.message = _internal(error)
    return response


def _set(node: Any, parameters: Sequence[ParameterMessage]) -> SetParametersResult:
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
        node.faults.note(error)
        return _refused(_internal(error))


def _internal(error: Exception) -> str:
    return f'internal error: {cause(error)}'


def _refused(reason: str) -> SetParametersResult:
    return SetParametersResult(successful=False, reason=reason)
