"""Hulls, meshes, outlines and operations on them."""
