"""``jct``: least total completion time of preemptible training jobs on edge servers and a cloud."""

from __future__ import annotations

from models.jct.certificates import JctCertificateFile
from models.jct.cluster import CLOUD, Cluster, Job
from models.jct.files import JctFile, ScheduleFile
from models.jct.instance import JctInstance
from models.jct.load import load
from models.jct.schedule import JctSchedule
from models.jct.score import score
from models.problem import Problem

__all__ = ["CLOUD", "PROBLEM", "Cluster", "JctInstance", "JctSchedule", "Job", "score"]

PROBLEM = Problem(
    name="jct",
    sense="min",
    title="total completion time of preemptible training jobs on edge servers and a cloud",
    paper=(
        "Wang, Zhou, Jiao, Zhang, Li, Li: Preemptive Scheduling for Distributed Machine Learning "
        "Jobs in Edge-Cloud Networks, IEEE JSAC 2022 (A_online)"
    ),
    instance_file=JctFile,
    schedule_file=ScheduleFile,
    decode_instance=JctInstance.decode,
    read_schedule=JctSchedule.read,
    score=score,
    load=load,
    load_means=(
        "worker-slots that the jobs need over those that the edge has until the last arrival, mean "
        "over the types; above 1 the cloud has to help"
    ),
    certificate_file=JctCertificateFile,
    wider="migration",
    offline=lambda instance: instance.offline,
)
