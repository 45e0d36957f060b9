"""Several numbers in one vector of the processor, as values of compiled code: one text serves one contact, or four or eight at once.

``Lanes`` is a type of compiled code only: WIDTH float64, int64 or truth values. LLVM makes of it what the processor has (a register of AVX-512, one
of AVX2, two of SSE2 or NEON). Operators act lane by lane and round as those of single numbers do, so that the bits of a result do not depend on
whether lanes were used, nor on how many there are. Numbers that meet lanes are broadcast.

====================  ==============================================================================
`types`               the type, broadcasting
`width`               how many lanes there are
`arithmetic`          operators, magnitudes, masks
`conversions`         float64 to whole numbers and back
`memory`              arrays to lanes and back
`places`              places in arrays, one for each lane
`rows`                rows of four numbers to lanes and back, transposition
`flags`               bytes that are raised, appending under a mask
====================  ==============================================================================

``choices`` (``select``, ``root``, ``larger``, ``smaller``) and ``vectors`` work on them too.
"""

from __future__ import annotations
