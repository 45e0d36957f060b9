"""What all compiled code is written in: vectors and quaternions as values, choices without branches."""
