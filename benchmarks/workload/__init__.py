"""What the workloads of several problems share: contract, settings, servers, arrivals, reports."""
