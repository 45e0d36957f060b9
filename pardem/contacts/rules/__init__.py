"""The rules by which two grains, or a grain and a plane, touch: one file each."""
