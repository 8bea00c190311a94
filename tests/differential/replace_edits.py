"""Cases for edits.py: the mode replace of edit, by a reference that reads as the rule does: what a file holds afterwards, or that it is refused."""
from line_ends import Line, bytes_of, check_file, expect_same, with_ends


def replace_case(place, rng, tools):
    lines, end = with_ends(rng, tools.some_lines(rng, 20) + ["last"] + ([""] if rng.random() < 0.8 else []))
    has_bom, text, name = rng.random() < 0.1, "\n".join(lines), place.next_file()
    at = rng.randrange(len(text))
    old, new = text[at:at + rng.randrange(1, 30)], "\n".join(tools.some_lines(rng, 4))
    is_all = rng.random() < 0.4
    if old == new or "\r\n" in text.replace(old, new):  # a lone CR in front of an LF would be read as an end
        return
    before = bytes_of(lines, has_bom)
    place.put(name, before)
    answer, is_error = place.call("edit", path=name, edits=[{"old_text": old, "new_text": new, "all": is_all}])
    here = f"of {before!r} by {old!r} to {new!r}, answer {answer!r}"
    count = text.count(old)
    if text.replace(old, new) == text or (not is_all and text.count(old) + (text.find(old, text.find(old) + 1) > 0) > 1):
        expect_same(f"refused, {here}", (is_error, place.text(name)), (True, before))
    else:
        expect_same(f"made, {here}", answer, f"Successfully replaced {'text' if count == 1 else f'{count} occurrences'} in {name}.")
        check_file(here, place.text(name), replaced(lines, text, old, new), end, has_bom)
    place.remove(name)


def replaced(lines, text, old, new):
    """The lines afterwards: one whose newline stays has its end, whatever has become of its text."""
    out, line, at, ends = [], "", 0, iter(lines)

    def end_line(end):
        nonlocal line
        out.append(Line(line))
        out[-1].end, line = end, ""

    while at < len(text):
        is_old = text.startswith(old, at)
        for char in new if is_old else text[at]:
            if char != "\n":
                line += char
            else:
                end_line(None if is_old else next(ends).end)
        for char in old if is_old else "":
            if char == "\n":
                next(ends)
        at += len(old) if is_old else 1
    end_line(None)
    return out
