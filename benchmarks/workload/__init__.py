"""What the workloads of several problems share: their contract, settings, servers and reports."""
