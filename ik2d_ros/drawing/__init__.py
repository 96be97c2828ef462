"""What an arm looks like: reachable area, solids of its links, plots."""
