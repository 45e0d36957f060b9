"""Nearest points of segments, polytopes and features."""
