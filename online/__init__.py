"""Online policies and the runner that reveals the instance to them event by event."""
