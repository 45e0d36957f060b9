"""The state of one rank: arrays that the kernels read and write, grains between rebuilds, faults."""
