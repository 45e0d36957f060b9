"""Campaigns: many runs of one case under other values, measured and collected in one table."""
