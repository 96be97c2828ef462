"""The subcommands of `ik2d`, one module each."""
