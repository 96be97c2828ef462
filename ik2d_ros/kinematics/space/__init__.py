"""Arms in space: a turntable or a lift before the plane."""
