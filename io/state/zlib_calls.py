"""CRC-32 and compression: by ISA-L where it is installed, which takes a tenth of zlib's time, else by zlib. What either writes, the other reads."""

try:
    from isal.isal_zlib import compress, crc32
except ImportError:
    from zlib import compress, crc32

__all__ = ["compress", "crc32"]
