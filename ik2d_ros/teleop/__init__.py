"""The arm by keyboard or gamepad."""
