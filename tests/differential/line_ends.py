"""What edits.py and its parts compare: texts, and files by the bytes of their lines."""

BOM = "\ufeff"


class Difference(Exception):
    pass


def expect_same(what, got, want):
    if got != want:
        raise Difference(f"{what}:\n--- got\n{got!r}\n--- want\n{want!r}")


class Line(str):
    """A line of a file, with its end; one that an edit brings is a plain str."""

    end = None  # the last line may have none


def with_ends(rng, lines):
    """The lines with ends, and the end that all of them have; None: they differ."""
    end = rng.choices(["\n", "\r\n", None], [6, 2, 3])[0]
    lines = [Line(line) for line in lines]
    for line in lines[:-1]:
        line.end = end or rng.choice(["\n", "\r\n"])
    ends = {line.end for line in lines[:-1]}
    return lines, ends.pop() if len(ends) == 1 else None if ends else "\n"


def bytes_of(lines, has_bom):
    return (BOM if has_bom else "") + "".join(line + (line.end or "") for line in lines)


def check_file(here, got, wanted, end, has_bom):
    """The text is as wanted, lines of the file have their ends, and others what all have."""
    expect_same(f"byte-order mark, {here}", got.startswith(BOM), has_bom)
    lines = got.removeprefix(BOM).split("\n")
    texts = [line.removesuffix("\r") if i < len(lines) - 1 else line for i, line in enumerate(lines)]
    expect_same(f"the file, {here}", texts, [str(line) for line in wanted] or [""])
    for number, (line, want) in enumerate(zip(lines[:-1], wanted), 1):
        want_end = getattr(want, "end", None) or end
        if want_end:
            expect_same(f"the end of line {number} of {got!r}, {here}", "\r\n" if line.endswith("\r") else "\n", want_end)
