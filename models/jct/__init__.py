"""``jct``: least total completion time of preemptible training jobs on edge servers and a cloud."""
