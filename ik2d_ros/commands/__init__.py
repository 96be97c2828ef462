"""The commands of `ik2d`, one module each."""
