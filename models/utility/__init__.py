"""``utility``: maximise total job utility with elastic workers and parameter servers (OASiS)."""

from __future__ import annotations

from models.problem import Problem
from models.utility.files import CertificateFile, ScheduleFile, UtilityFile
from models.utility.instance import Cluster, Job, UtilityInstance
from models.utility.load import load
from models.utility.schedule import UtilitySchedule
from models.utility.score import score

__all__ = ["PROBLEM", "Cluster", "Job", "UtilityInstance", "UtilitySchedule", "score"]

PROBLEM = Problem(
    name="utility",
    sense="max",
    title="total utility of elastic training jobs on worker and parameter servers",
    paper=(
        "Bao, Peng, Wu, Li: Online Job Scheduling in Distributed Machine Learning Clusters, "
        "INFOCOM 2018 (OASiS)"
    ),
    instance_file=UtilityFile,
    schedule_file=ScheduleFile,
    certificate_file=CertificateFile,
    decode_instance=UtilityInstance.decode,
    read_schedule=UtilitySchedule.read,
    score=score,
    load=load,
)
