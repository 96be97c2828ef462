"""What an arm looks like: reachable area, swept body, solids of its links, plots."""
