"""What ROS tools show of a parameter: its description, its range, whether it can be set."""

from __future__ import annotations

from rcl_interfaces.msg import FloatingPointRange, IntegerRange, ParameterDescriptor

from ik2d_ros.parameters.table import Table


def descriptor(table: Table, name: str) -> ParameterDescriptor:
    """Return the descriptor of a parameter.

    Args:
        table: its table.
        name: its name.
    """
    what, allowed = table.description(name)
    least, most = table.bounds(name) or (None, None)
    # For sliders; rclpy checks them too, but only after the check here.
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
        # Types are checked here: a whole number is accepted wherever a number is.
        dynamic_typing=True,
    )
