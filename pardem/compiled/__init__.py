"""What all compiled code is written in: vectors and quaternions as values, choices without branches."""

import os

os.environ.setdefault("NUMBA_DISABLE_ERROR_MESSAGE_HIGHLIGHTING", "1")  # with colorama, numba ends the output of every program by an escape sequence
