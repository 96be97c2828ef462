"""Feetech's servos on a pseudo-terminal: protocol 0 of the STS series, from its instructions."""

from __future__ import annotations

import os
import threading
import tty

WRITE, SYNC_READ, SYNC_WRITE = 0x03, 0x82, 0x83
TORQUE, GOAL, POSITION = 40, 42, 56
FASTEST = 60  # steps that a servo turns from one reading to the next


class Bus:
    """Servos that turn to their goals with torque only; they answer until it is closed."""

    def __init__(self, positions: dict[int, int]) -> None:
        self.memory = {servo: bytearray(128) for servo in positions}
        for servo, steps in positions.items():
            self._put(servo, POSITION, steps)
        self._end, line = os.openpty()
        tty.setraw(line)
        self.port = os.ttyname(line)
        self._line = line  # open, so that the driver may come and go
        threading.Thread(target=self._serve, daemon=True).start()

    @property
    def torque(self) -> set[int]:
        """Whether torque is on, of all servos."""
        return {memory[TORQUE] for memory in self.memory.values()}

    @property
    def positions(self) -> dict[int, int]:
        return {servo: self._word(servo, POSITION) for servo in self.memory}

    def _word(self, servo: int, address: int) -> int:
        return int.from_bytes(self.memory[servo][address : address + 2], 'little')

    def _put(self, servo: int, address: int, value: int) -> None:
        self.memory[servo][address : address + 2] = value.to_bytes(2, 'little')

    def _serve(self) -> None:
        received = b''
        while True:
            received += os.read(self._end, 256)
            while (start := received.find(b'\xff\xff')) >= 0 and len(received) > start + 3:
                end = start + 4 + received[start + 3]
                if len(received) < end:
                    break
                packet, received = received[start + 2 : end], received[end:]
                assert sum(packet) & 0xFF == 0xFF, packet.hex()
                self._carry_out(packet[0], packet[2], packet[3:-1])

    def _carry_out(self, servo: int, instruction: int, rest: bytes) -> None:
        if instruction == SYNC_WRITE:
            address, length = rest[:2]
            for at in range(2, len(rest), length + 1):
                self.memory[rest[at]][address : address + length] = rest[at + 1 : at + 1 + length]
        elif instruction == SYNC_READ:
            for each in rest[2:]:
                self._turn(each)
                self._answer(each, bytes(self.memory[each][rest[0] : rest[0] + rest[1]]))
        elif instruction == WRITE:
            self.memory[servo][rest[0] : rest[0] + len(rest) - 1] = rest[1:]
            self._answer(servo, b'')

    def _turn(self, servo: int) -> None:
        if self.memory[servo][TORQUE]:
            at, goal = self._word(servo, POSITION), self._word(servo, GOAL)
            self._put(servo, POSITION, at + max(-FASTEST, min(goal - at, FASTEST)))

    def _answer(self, servo: int, content: bytes) -> None:
        packet = bytes([servo, len(content) + 2, 0]) + content
        os.write(self._end, b'\xff\xff' + packet + bytes([~sum(packet) & 0xFF]))
