"""For rosdoc2, and for the API's pages, made of the docstrings, by `make docs`."""

import re
from typing import Any

project = 'ik2d_ros'
author = 'the ik2d_ros developers'
extensions = ['sphinx.ext.autodoc', 'sphinx.ext.napoleon']
html_theme = 'alabaster'
autodoc_member_order = 'bysource'
autodoc_typehints = 'signature'
napoleon_google_docstring = True
napoleon_numpy_docstring = False
napoleon_use_ivar = True
myst_enable_extensions = ['dollarmath']  # rosdoc2 reads doc/*.md with MyST
myst_fence_as_directive = ['math']
myst_heading_anchors = 4
# The client's page, without ROS.
autodoc_mock_imports = [
    *('builtin_interfaces', 'diagnostic_msgs', 'geometry_msgs', 'nav_msgs', 'rcl_interfaces'),
    *('rclpy', 'rosgraph_msgs', 'sensor_msgs', 'std_msgs', 'std_srvs', 'trajectory_msgs'),
]


def keep_returns_whole(*event: Any) -> None:
    """Keep Napoleon from taking what is before the first colon of "Returns" for a type."""
    lines: list[str] = event[-1]
    for line, text in enumerate(lines[:-1]):
        if text.strip() == 'Returns:':
            lines[line + 1] = re.sub(r'(?=\S)', ': ', lines[line + 1], count=1)


def setup(app: Any) -> None:
    """Work on docstrings before Napoleon does."""
    app.connect('autodoc-process-docstring', keep_returns_whole, priority=400)
