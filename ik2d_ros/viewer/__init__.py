"""The viewer: the arm on a page in the browser."""
