"""Forces on grains that no contact gives."""
