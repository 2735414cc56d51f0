"""What there is: machines, jobs, speeds, utilities, placements, and the ledger of what is committed."""
