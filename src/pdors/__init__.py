"""Online primal-dual scheduling of distributed training jobs."""
