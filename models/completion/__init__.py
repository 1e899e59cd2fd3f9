"""``completion``: least weighted completion time of elastic jobs on heterogeneous servers."""

from __future__ import annotations

from models.completion.cluster import Cluster, Job
from models.completion.files import CertificateFile, CompletionFile, ScheduleFile
from models.completion.instance import CompletionInstance
from models.completion.load import load
from models.completion.schedule import CompletionSchedule
from models.completion.score import score
from models.problem import Problem

__all__ = ["PROBLEM", "Cluster", "CompletionInstance", "CompletionSchedule", "Job", "score"]

PROBLEM = Problem(
    name="completion",
    sense="min",
    title="weighted completion time of elastic training jobs on heterogeneous servers",
    paper=(
        "Zhou, Pang, Zhang, Wu, Jiao, Zhong, Li: Online Scheduling Algorithm for Heterogeneous "
        "Distributed Machine Learning Jobs, IEEE Transactions on Cloud Computing 2022 (A_online)"
    ),
    instance_file=CompletionFile,
    schedule_file=ScheduleFile,
    certificate_file=CertificateFile,
    decode_instance=CompletionInstance.decode,
    read_schedule=CompletionSchedule.read,
    score=score,
    load=load,
    wider="elastic",
)
