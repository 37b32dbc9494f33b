"""A long class with accidents: simulated students on one real server, faults by a plan, and a verdict at the end."""
