"""From a validated case to arrays: tables of laws and walls, time step and quanta, the grains at the start."""
