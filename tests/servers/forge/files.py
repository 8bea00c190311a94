"""Files behind a run, a release or a comment: Actions artifacts, release assets, images.

What there is follows from the records alone: a completed run has a zip of its logs,
one that has expired, and one whose name is a path; a release has a source archive
with a digest and without, and one whose digest is wrong. Ids are those of the record
and a digit.
"""

import hashlib
import io
import struct
import tarfile
import zipfile
import zlib

from . import actions

BASE = 1000


def zip_of(files):
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(zipfile.ZipInfo(name, (2025, 1, 1, 0, 0, 0)), text)
    return out.getvalue()


def tar_of(files):
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name, text in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(text)
            archive.addfile(info, io.BytesIO(text.encode()))
    return out.getvalue()


def sha256(data):
    return "sha256:" + hashlib.sha256(data).hexdigest()


def png():
    """A picture of 2 × 2 pixels."""
    def chunk(kind, data):
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
    rows = b"\0\xff\xff\xff\0\0\0" * 2
    head = struct.pack(">IIBBBBB", 2, 2, 8, 2, 0, 0, 0)
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


def artifacts(world, run):
    """[(id, name, data, digest)]; data is None for one that has expired."""
    if actions.run_state(world, run)[0] != "completed":
        return []
    log = zip_of({"log.txt": f"run {run.id}\n", "../outside.txt": "never unpacked\n"})
    first = run.id * BASE
    return [(first, "logs", log, sha256(log)), (first + 1, "old", None, None), (first + 2, "../evil", log, sha256(log))]


def assets(release):
    """[(id, name, data, digest)]"""
    tar = tar_of({"tidepool/README.md": "Tidepool\n", "tidepool/VERSION": release.tag + "\n"})
    first = release.id * BASE
    return [(first, "tidepool.tar", tar, sha256(tar)), (first + 1, "notes.txt", b"Takes arguments.\n", None),
        (first + 2, "broken.bin", b"other bytes\n", sha256(b"bytes\n"))]
