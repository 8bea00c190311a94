"""What every vendor refuses in a request, whatever its wire: broken text, and pictures that are none."""

import base64
import binascii
import struct

TYPES = ((b"\x89PNG\r\n\x1a\n", "image/png"), (b"\xff\xd8\xff", "image/jpeg"), (b"GIF8", "image/gif"), (b"RIFF", "image/webp"))
MAX_CHARS = 20_000_000
MAX_SIDE = 8000


def text_problems(value, where="body"):
    """Control characters, and halves of surrogate pairs, in any text."""
    if isinstance(value, str):
        if any((c < " " and c not in "\t\n\r") or 0xD800 <= ord(c) < 0xE000 for c in value):
            yield f"{where}: a character that no text has: {value[:60]!r}"
    elif isinstance(value, dict):
        for key, item in value.items():
            yield from text_problems(key, where)
            yield from text_problems(item, f"{where}.{key}")
    elif isinstance(value, list):
        for i, item in enumerate(value):
            yield from text_problems(item, f"{where}.{i}")


def image_problem(data, media_type, max_chars=MAX_CHARS, max_side=MAX_SIDE):
    """Why this picture is refused; None: it is not."""
    try:
        raw = base64.b64decode(data, validate=True)
    except (binascii.Error, ValueError):
        return "image: not base64"
    kinds = [kind for magic, kind in TYPES if raw.startswith(magic)]
    if kinds != [media_type]:
        return f"image: {media_type!r} is not what its bytes are: {kinds}"
    if media_type == "image/png" and b"IEND" not in raw[-12:]:
        return "image: could not be processed"
    if len(data) > max_chars:
        return f"image: larger than {max_chars} characters"
    if media_type == "image/png" and max(struct.unpack(">II", raw[16:24])) > max_side:
        return f"image: more than {max_side} pixels"
    return None


def url_problem(url):
    """The same for `data:TYPE;base64,…`."""
    head, _, data = str(url).partition(";base64,")
    if not head.startswith("data:") or not data:
        return f"image: no data URL: {head[:60]!r}"
    return image_problem(data, head.removeprefix("data:"))
