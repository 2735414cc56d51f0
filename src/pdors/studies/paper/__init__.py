"""The evaluation of the paper, section 5: every figure declared, run, and its claims judged."""
