"""The surfaces of walls: where a grain meets them."""
