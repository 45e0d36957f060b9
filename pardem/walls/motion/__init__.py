"""How walls move: given motions, servo walls, and the work they do."""
