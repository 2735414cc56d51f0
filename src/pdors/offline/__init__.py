"""What all jobs known beforehand could be worth at most: an upper bound, and the optimum of small instances."""
