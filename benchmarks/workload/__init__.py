"""What several problems draw the same way for their synthetic workloads."""
