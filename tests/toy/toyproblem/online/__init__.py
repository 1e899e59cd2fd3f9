"""Things come one by one, and are kept at once or never."""

from online.contract import OnlineSide
from toyproblem.online.world import ToyWorld

ONLINE = OnlineSide(make_world=ToyWorld, policies={"first": "toyproblem.online.first:First"})
