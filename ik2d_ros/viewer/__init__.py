"""The arm on a page in the browser."""
