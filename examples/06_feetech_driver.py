"""Move the Feetech servos of an SO-101: joint_states follow joint_command.

    pip install ftservo-python-sdk
    python3 06_feetech_driver.py 06_so101_servos.yaml

doc/servos.md says what to check before. No torque until a command comes, none after the end.
"""

import math
import sys
from pathlib import Path

import rclpy
import scservo_sdk as sdk
import yaml
from rclpy.executors import ExternalShutdownException
from rclpy.node import Node
from sensor_msgs.msg import JointState

STEP = math.tau / 4096  # rad
RATE = 50.0  # Hz
SPEED, ACCELERATION = 2600, 254  # of the servos: steps/s (4 rad/s), and 100 steps/s^2
NEAR = math.radians(20.0)  # from the measured pose to the first command


class FeetechDriver(Node):
    """A node between joint states and a bus of servos."""

    def __init__(self, port, servos):
        super().__init__('feetech_driver')
        self.servos = servos
        self.port = sdk.PortHandler(port)
        self.port.openPort()
        self.bus = sdk.sms_sts(self.port)
        self.reading = sdk.GroupSyncRead(self.bus, sdk.SMS_STS_PRESENT_POSITION_L, 2)
        for servo in servos.values():
            self.reading.addParam(servo['id'])
        self.has_torque, self.measured = False, {}
        self.states = self.create_publisher(JointState, 'joint_states', 10)
        self.create_subscription(JointState, 'joint_command', self.command, 10)
        self.create_timer(1.0 / RATE, self.measure)

    def measure(self):
        """Publish where the joints are; nothing if a servo does not answer."""
        self.reading.txRxPacket()
        if not self.reading.last_result:
            self.get_logger().error('a servo does not answer', throttle_duration_sec=2.0)
            return
        for name, servo in self.servos.items():
            word = self.reading.getData(servo['id'], sdk.SMS_STS_PRESENT_POSITION_L, 2)
            steps = self.bus.scs_tohost(word, 15) - servo['zero']
            self.measured[name] = servo['sense'] * steps * STEP
        state = JointState(name=[*self.measured], position=[*self.measured.values()])
        state.header.stamp = self.get_clock().now().to_msg()
        self.states.publish(state)

    def command(self, message):
        """Send joints where a message says, within their limits."""
        given = zip(message.name, message.position, strict=False)
        goals = {name: goal for name, goal in given if name in self.servos}
        if not (goals and self.measured and all(map(math.isfinite, goals.values()))):
            return
        far = max(goals, key=lambda name: abs(goals[name] - self.measured[name]))
        if not self.has_torque and abs(goals[far] - self.measured[far]) > NEAR:
            words = f'{far} is commanded to {goals[far]:.2f} rad, but at {self.measured[far]:.2f}'
            self.get_logger().error(f'no torque: {words}', throttle_duration_sec=2.0)
            return
        for name, goal in goals.items():
            servo = self.servos[name]
            lower, upper = map(math.radians, servo['limits'])
            steps = servo['sense'] * min(max(goal, lower), upper) / STEP + servo['zero']
            place = min(max(round(steps), 0), 4095)
            self.bus.SyncWritePosEx(servo['id'], place, SPEED, ACCELERATION)
        self.bus.groupSyncWrite.txPacket()
        self.bus.groupSyncWrite.clearParam()
        if not self.has_torque:
            self.set_torque(True)

    def set_torque(self, on):
        """Switch the torque of all servos."""
        self.has_torque = on
        self.port.is_using = False  # Ctrl-C may have come in the midst of a transfer
        for name, servo in self.servos.items():
            result, _ = self.bus.write1ByteTxRx(servo['id'], sdk.SMS_STS_TORQUE_ENABLE, int(on))
            if result != sdk.COMM_SUCCESS:
                self.get_logger().error(f'{name} does not answer: is its torque on?')


rclpy.init()
bus = yaml.safe_load(Path(sys.argv[1]).read_text())
driver = FeetechDriver(bus['port'], bus['servos'])
try:
    rclpy.spin(driver)
except (KeyboardInterrupt, ExternalShutdownException):
    pass
finally:
    driver.set_torque(False)
