"""Services of the node whose callbacks raise."""

from __future__ import annotations

import sys
from typing import Any

from harness import HAS_ROS
from node_client import NEAR, TWO

if HAS_ROS:
    from std_srvs.srv import Trigger


# A node whose services fail once they have begun.
CLUMSY = """
import sys
from ik2d_ros.node.__main__ import main
from ik2d_ros.pilot.pilot import Pilot
from ik2d_ros.pilot.request import Home, Stop

takes = Pilot.ask

def ask(self, request, now):
    if isinstance(request, Stop | Home):
        raise LookupError('so it was')
    return takes(self, request, now)

Pilot.ask = ask
sys.exit(main(['ik2d_node', *sys.argv[1:]]))
"""


def test_a_service_answers_even_if_its_callback_raises(start: Any) -> None:
    clumsy = (sys.executable, '-c', CLUMSY)
    process, arm = start(TWO, program=clumsy)
    arm.connect()
    for name in ('stop', 'home'):
        answer = arm.call(Trigger, name)
        assert not answer.success
        assert answer.message.startswith('internal error: LookupError: so it was, in ')
    process.wait_for_output('internal error 1 since start, continuing: LookupError: so it was')
    arm.wait_for(arm.send(NEAR), 'REACHED')
    assert process.stop() == 0
