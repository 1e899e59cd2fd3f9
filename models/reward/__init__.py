"""``reward``: learn to allocate devices to the jobs that arrive at ports (OGASched)."""

from __future__ import annotations

from models.problem import Problem
from models.reward.certificates import RewardCertificateFile
from models.reward.files import RewardFile
from models.reward.instance import Cluster, RewardInstance
from models.reward.load import load
from models.reward.negligible import negligible
from models.reward.schedule import RewardSchedule
from models.reward.score import ScoreStream, score

__all__ = ["PROBLEM", "Cluster", "RewardInstance", "RewardSchedule", "ScoreStream", "score"]

PROBLEM = Problem(
    name="reward",
    sense="max",
    title="accumulated reward of multi-server jobs: gains minus communication overhead",
    paper=(
        "Zhao, Deng, Xiang, Yan, Yin, Dustdar, Zomaya: Scheduling Multi-Server Jobs with "
        "Sublinear Regrets via Online Learning (OGASched)"
    ),
    instance_file=RewardFile,
    schedule_file=None,  # an .npz archive, see models.reward.schedule
    decode_instance=RewardInstance.decode,
    read_schedule=RewardSchedule.read,
    score=score,
    load=load,
    load_means="mean over the slots of the largest share of a device type that jobs request",
    certificate_file=RewardCertificateFile,
    schedule_suffix=".npz",
    negligible=negligible,
)
