"""Experiments: workloads, traces, ratios, figures and claims; the commands of the toolkit."""
