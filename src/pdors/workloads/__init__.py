"""Generated clusters and jobs."""
