"""``colocated``: total utility of elastic jobs that may share machines with their PSs (PD-ORS)."""

from __future__ import annotations

from models.colocated.cluster import Cluster, Job
from models.colocated.files import CertificateFile, ColocatedFile, ScheduleFile
from models.colocated.instance import ColocatedInstance
from models.colocated.load import load
from models.colocated.schedule import ColocatedSchedule
from models.colocated.score import score
from models.problem import Problem

__all__ = ["PROBLEM", "Cluster", "ColocatedInstance", "ColocatedSchedule", "Job", "score"]

PROBLEM = Problem(
    name="colocated",
    sense="max",
    title="total utility of elastic jobs whose workers and parameter servers share machines",
    paper=(
        "Yu, Liu, Wu, Ji, Bentley: Toward Efficient Online Scheduling for Distributed Machine "
        "Learning Systems, IEEE Transactions on Network Science and Engineering 2021 (PD-ORS)"
    ),
    instance_file=ColocatedFile,
    schedule_file=ScheduleFile,
    certificate_file=CertificateFile,
    decode_instance=ColocatedInstance.decode,
    read_schedule=ColocatedSchedule.read,
    score=score,
    load=load,
)
