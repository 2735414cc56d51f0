"""Many runs, the same jobs for several policies over several seeds, side by side; the paper's claims beside a run."""
