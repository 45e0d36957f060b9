"""Packings of rounded Voronoi cells."""
