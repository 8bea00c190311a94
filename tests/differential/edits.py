#!/usr/bin/env python3
"""edit against plain references: made-up files and edits, worked out here the plain way, and by one `kedge mcp` for each mode.

    edits.py [--count N] [--seed S] [--mode NAME]

hashline: what a file holds afterwards, warnings, previews and refusals, line by line, and what is said of lines that were never shown; and of files that somebody else has changed meanwhile:
an edit is carried over to the very lines that were meant, or refused, whatever twins these lines have.
replace: replace_edits.py. patch, apply_patch: patch_edits.py.
Files end their lines with LF, CRLF or some with each: a line that an edit does not name keeps its end, and the byte-order mark stays.

A mode is an entry of MODES: a function that plays one case with a client and a random number generator, and raises Difference.
Environment: KEDGE, the binary. Prints TAP.
"""
import argparse
import os
import pathlib
import random
import re
import shutil
import sys
import tempfile
import unicodedata

import patch_edits
import replace_edits
from line_ends import Difference, bytes_of, check_file, expect_same, with_ends

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "mcp"))
from client import Client, text_of  # noqa: E402

NO_CHANGE = "Edits to {} resulted in no changes being made."
RECOVERED = "Recovered from stale anchors using a previous read snapshot (file changed externally between read and edit)."
MASK = 0xFFFFFFFF


# ---- a directory, and files in it --------------------------------------------


class Place:
    """One server and its directory; every case has a file of its own."""

    def __init__(self, root, mode):
        self.client = None
        self.root, self.number = root, 0
        os.makedirs(os.path.join(root, ".kedge", "agent"))
        with open(os.path.join(root, ".kedge", "agent", "config.yml"), "w", encoding="utf-8") as file:
            file.write(f"edit:\n  mode: {mode}\n")
        self.client = Client(root, ["--tools", "coding", "--allow-writes"])

    def next_file(self):
        self.number += 1
        return f"{self.number}.txt"

    def put(self, name, text):
        with open(os.path.join(self.root, "w", name), "wb") as file:
            file.write(text.encode())

    def text(self, name):
        with open(os.path.join(self.root, "w", name), "rb") as file:
            return file.read().decode()

    def remove(self, name):
        os.unlink(os.path.join(self.root, "w", name))

    def call(self, tool, **arguments):
        """(text, is an error)"""
        result = self.client.call(tool, arguments)
        self.client.seen.clear()
        return text_of(result), bool(result.get("isError"))


# ---- hashline: anchors ---------------------------------------------------------


def xxh32(data, seed):
    p1, p2, p3, p4, p5 = 2654435761, 2246822519, 3266489917, 668265263, 374761393

    def rotate(value, bits):
        return ((value << bits) | (value >> (32 - bits))) & MASK

    def word(at):
        return int.from_bytes(data[at:at + 4], "little")

    at, size = 0, len(data)
    if size >= 16:
        lanes = [(seed + p1 + p2) & MASK, (seed + p2) & MASK, seed, (seed - p1) & MASK]
        while size - at >= 16:
            for i in range(4):
                lanes[i] = rotate((lanes[i] + word(at + 4 * i) * p2) & MASK, 13) * p1 & MASK
            at += 16
        value = sum(rotate(lane, bits) for lane, bits in zip(lanes, (1, 7, 12, 18))) & MASK
    else:
        value = (seed + p5) & MASK
    value = (value + size) & MASK
    while size - at >= 4:
        value = rotate((value + word(at) * p3) & MASK, 17) * p4 & MASK
        at += 4
    for byte in data[at:]:
        value = rotate((value + byte * p5) & MASK, 11) * p1 & MASK
    value = (value ^ value >> 15) * p2 & MASK
    value = (value ^ value >> 13) * p3 & MASK
    return value ^ value >> 16


LEFT_OUT = set("bq gk gq jv jz kq kz lq nq qf qg qj qk qv qz rj tq wq wz xg xj xk xq xv xw yq zj zq zv".split())
LETTERS = [a + b for a in map(chr, range(97, 123)) for b in map(chr, range(97, 123)) if a + b not in LEFT_OUT]
SPACE = "\t\n\v\f\r \xa0\u1680\u2000\u2001\u2002\u2003\u2004\u2005\u2006\u2007\u2008\u2009\u200a\u2028\u2029\u202f\u205f\u3000\ufeff"


def anchor(number, line):
    text = line.replace("\r", "").rstrip(SPACE)
    seed = 0 if any(unicodedata.category(c)[0] in "LN" for c in text) else number
    return f"{number}{LETTERS[xxh32(text.encode(), seed) % 647]}"


# ---- hashline: what an edit does -------------------------------------------------


class Op:
    """kind: + < = -; first and last: numbers from 1, or "BOF", "EOF"; `wrong`: the anchors do not fit."""

    def __init__(self, kind, first, last, payload, wrong=False):
        self.kind, self.first, self.last, self.payload, self.wrong = kind, first, last, payload, wrong
        self.body_line = 0

    def named(self, lines):
        """The lines that it names, from 0."""
        return range(0) if isinstance(self.first, str) else range(self.first - 1, self.last)

    def gap(self, lines):
        """Between which lines its payload comes: in front of this one, from 0."""
        end = len(lines) - (lines[-1] == "")
        if self.first == "BOF":
            return 0
        if self.first == "EOF" or (self.kind == "+" and self.first == len(lines)):
            return end
        return self.first - (self.kind != "+")


def balance(lines):
    text = "".join(lines)
    return [text.count(a) - text.count(b) for a, b in ("()", "[]", "{}")]


def repair(lines, ops):
    """Payloads without what they repeat of the lines around them, and what is said about it."""
    warnings = []
    owners = {}
    for op in ops:
        for i in op.named(lines):
            owners.setdefault(i, set()).add(id(op))

    def is_free(op, indices):
        return all(owners.get(i, set()) <= {id(op)} for i in indices)

    for op in ops:
        if not op.payload:
            continue
        above = op.gap(lines)
        below = op.last if op.kind == "=" else above
        gone = lines[above:below]
        for is_leading in (True, False):
            for k in range(min(len(op.payload), above if is_leading else len(lines) - below), 0, -1):
                part = op.payload[:k] if is_leading else op.payload[-k:]
                rest = op.payload[k:] if is_leading else op.payload[:-k]
                beside = range(above - k, above) if is_leading else range(below, below + k)
                if part != [lines[i] for i in beside] or not is_free(op, beside):
                    continue
                is_run = k > 1 and op.kind == "="
                is_stray = (k == 1 and rest and re.fullmatch(r"\s*[\])}]+[;,]?\s*", part[0])
                            and balance(rest) == balance(gone) != balance(op.payload))
                if not is_run and not is_stray:
                    continue
                for i in beside:
                    owners.setdefault(i, set()).add(id(op))
                end = "leading" if is_leading else "trailing"
                where = f"file lines {beside[0] + 1}..{beside[-1] + 1}"
                if op.kind == "=":
                    warnings.append(f"Auto-absorbed {k} duplicate line(s) {'above' if is_leading else 'below'} replacement at line {op.body_line} "
                                    f"({where} matched the payload's {end} lines; widened the deletion to absorb them).")
                else:
                    warnings.append(f"Auto-dropped {k} duplicate line(s) at the {'start' if is_leading else 'end'} of insert at line "
                                    f"{op.body_line} ({where} already match the payload's {end} lines).")
                op.payload = rest
                break
    return warnings


def apply(lines, ops):
    out = []
    for i, line in enumerate(lines):
        for op in ops:
            if op.kind in "+<" and op.first not in ("BOF", "EOF") and op.gap(lines) == i and not (op.kind == "+" and op.first == len(lines)):
                out += op.payload
        for op in ops:
            if op.kind == "=" and op.first - 1 == i:
                out += op.payload
        if not any(op.kind in "=-" and op.first - 1 <= i < op.last for op in ops):
            out.append(line)
    begin = [line for op in ops if op.first == "BOF" for line in op.payload]
    end = [line for op in ops if op.first == "EOF" or (op.kind == "+" and op.first == len(lines)) for line in op.payload]
    if (begin or end) and out == [""]:
        out = []
    out = begin + out
    at = len(out) - (out[-1:] == [""])
    return out[:at] + end + out[at:]


def not_shown(ops, shown):
    """The lines inside ranges, which no anchor stands for, that were never shown."""
    return sorted({n for op in ops if op.kind in "=-" for n in range(op.first + 1, op.last)} - set(shown))


def refusal(lines, ops, unseen):
    stale = sorted({n for op in ops if op.wrong for n in (op.first, op.last)})
    numbers = sorted({*stale, *unseen})
    why = []
    if stale:
        why.append(f"{len(stale)} {'line has' if len(stale) == 1 else 'lines have'} changed since the last read")
    if unseen:
        why.append(f"{len(unseen)} {'line inside a range has' if len(unseen) == 1 else 'lines inside a range have'} not been shown to you lately")
    what = (", please use the updated file content shown below, and issue another edit tool-call." if stale
            else ": these lines would go, too. If that is meant, make the same call again.")
    text = f"Edit rejected: {', and '.join(why)} (marked *).\nThe edit was NOT applied{what}"
    shown = sorted({i for n in numbers for i in range(n - 2, n + 3) if 1 <= i <= len(lines)})
    for i, n in enumerate(shown):
        if i and shown[i - 1] + 1 < n:
            text += "\n..."
        text += f"\n{'*' if n in numbers else ' '}{anchor(n, lines[n - 1])}|{lines[n - 1]}"
    return text.replace("\r", "")  # texts for a model hold none


def check_preview(preview, before, after):
    for line in preview.split("\n"):
        if line == "...":
            continue
        sign, rest = line[0], line[1:]
        name, _, text = rest.partition("|")
        if not re.match(r"\d", name):
            raise Difference(f"no line of a preview: {line!r} in {preview!r}")
        number = int(re.match(r"\d+", name).group())
        lines = before if sign == "-" else after
        expect_same("a line of the preview", text, lines[number - 1].replace("\r", ""))
        expect_same("its anchor", name, f"{number}--" if sign == "-" else anchor(number, text))


# ---- hashline: made-up cases -------------------------------------------------------

CHANGES = 2  # by somebody else, at most
WORDS = ["x", "alpha()", "\tif (a) {", "}", "  }", "});", "", "", "---", "    return 0;", "é 日本", "a\rb", "f([", "])", "tail  ", "~z", "@@ w", "12ab|c"]


def some_lines(rng, most):
    return [rng.choice(WORDS) if rng.random() < 0.8 else f"line {rng.randrange(30)}" for _ in range(rng.randrange(most))]


def letters_but(rng, name):
    while True:
        other = re.sub("[a-z]+$", rng.choice(LETTERS), name)
        if other != name:
            return other


def some_payload(rng, lines, above, below):
    payload = some_lines(rng, 4) or ["new"]
    if rng.random() < 0.3:
        payload = [str(line) for line in lines[max(0, above - rng.randrange(1, 4)):above]] + payload
    if rng.random() < 0.3:
        payload = payload + [str(line) for line in lines[below:below + rng.randrange(1, 4)]]
    return payload


def some_ops(rng, lines):
    ops, taken = [], set()
    for _ in range(rng.randrange(1, 5)):
        kind = rng.choice("+<=-=")
        first = rng.randrange(1, len(lines) + 1)
        if kind in "+<":
            if rng.random() < 0.6:
                first = rng.choice(["BOF", "EOF"])
            op = Op(kind, first, first, None)
            op.payload = some_payload(rng, lines, op.gap(lines), op.gap(lines))
        else:
            last = min(len(lines), first + rng.randrange(4))
            if taken & set(range(first, last + 1)):
                continue
            taken |= set(range(first, last + 1))
            op = Op(kind, first, last, some_payload(rng, lines, first - 1, last) if kind == "=" else [])
        op.wrong = not isinstance(first, str) and rng.random() < 0.04
        ops.append(op)
    return ops


def input_of(rng, name, lines, ops):
    """The edit as text; says each operation where it stands."""
    out, number = [f"{rng.choice(['@@ ', '@', '@@'])}{name}{rng.choice(['', ' @@'])}"], 0
    for op in ops:
        op.body_line = number = number + 1
        blank = rng.choice(["", " "])
        if isinstance(op.first, str):
            out.append(op.kind + blank + op.first)
        elif op.kind in "+<":
            name = anchor(op.first, lines[op.first - 1])
            out.append(op.kind + blank + (letters_but(rng, name) if op.wrong else name))
        else:
            a, b = anchor(op.first, lines[op.first - 1]), anchor(op.last, lines[op.last - 1])
            if op.wrong:
                a = letters_but(rng, a)
                b = a if op.first == op.last else letters_but(rng, b)
            out.append(f"{op.kind}{blank}{a}..{b}")
        if op.kind == "=" and op.payload == [""] and rng.random() < 0.5:
            continue  # no payload is one empty line
        for i, line in enumerate(op.payload):
            is_between = 0 < i < len(op.payload) - 1
            out.append("" if line == "" and is_between and rng.random() < 0.5 else "~" + line)
            number += 1
    return rng.choice(["\n", "\r\n"]).join(out) if not any(line.endswith("\r") for op in ops for line in op.payload) else "\n".join(out)


def some_reading(place, rng, name, count):
    """Has all of the file shown, or some of it, or nothing; the numbers of the lines that were."""
    how = rng.random()
    if how < 0.3:
        return range(0)
    if how < 0.7:
        place.call("read", path=name)
        return range(1, count + 1)
    first = rng.randrange(1, count + 1)
    last = first + rng.randrange(4)
    place.call("read", path=f"{name}:{first}-{last}")
    return range(max(1, first - 3), last + 4)


def plain_case(place, rng):
    lines = some_lines(rng, 25)
    text = "\n".join(lines) + ("\n" if lines and rng.random() < 0.8 else "")
    has_bom = rng.random() < 0.1
    lines, end = with_ends(rng, text.split("\n"))
    before = bytes_of(lines, has_bom)
    name = place.next_file()
    place.put(name, before)
    ops = some_ops(rng, lines)
    edit = input_of(rng, name, lines, ops)
    before_ops = [op for op in ops if op.payload or op.kind == "-"]
    shown = some_reading(place, rng, name, len(lines))
    unseen = not_shown(ops, shown)
    answer, is_error = place.call("edit", input=edit)
    is_wrong = any(op.wrong for op in ops)
    if is_wrong or unseen:
        expect_same("refused", (answer, is_error), (refusal(lines, ops, unseen), True))
        expect_same("untouched", place.text(name), before)
        place.refused += 1
        answer, is_error = place.call("edit", input=edit)
    if is_wrong:
        expect_same("untouched, again", (is_error, place.text(name)), (True, before))
    else:
        warnings = repair(lines, before_ops)
        wanted = apply(lines, before_ops)
        check_file(f"of {before!r} by {edit!r}", place.text(name), wanted, end, has_bom)
        expect_same("no error", is_error, False)
        if "\n".join(wanted) == text:
            expect_same("no change", answer, NO_CHANGE.format(name))
        else:
            preview, _, said = answer.partition("\n\nWarnings:\n")
            expect_same("warnings", said, "\n".join(warnings))
            if preview != f"Updated {name}":
                check_preview(preview.removeprefix(name + ":\n"), lines, wanted)
    place.remove(name)


# ---- hashline: files that others change meanwhile -----------------------------------


def twins_in(rng):
    """Lines of which blocks come again."""
    block = [rng.choice(["f()", "{", "}", "    step();", "    stop();", ""]) for _ in range(rng.randrange(2, 8))]
    lines = []
    while len(lines) < rng.randrange(8, 40):
        lines += block if rng.random() < 0.5 else [f"own {rng.randrange(60)}" for _ in range(rng.randrange(1, 5))]
    return lines


def change(rng, lines):
    """(what somebody else makes of it, how): lines come, go, or become others; copies of what is there, too."""
    now, kind = list(lines), rng.choice(["come", "go", "other"])
    for _ in range(rng.randrange(1, CHANGES + 1)):
        at = rng.randrange(len(now) + 1)
        size = rng.randrange(1, 9)
        if kind == "come":
            at_copy = rng.randrange(len(now) + 1)
            now[at:at] = now[at_copy:at_copy + size] if rng.random() < 0.6 else [f"new {i}" for i in range(size)]
        elif kind == "go":
            del now[at:at + size]
        elif at < len(now):
            now[at] = rng.choice([now[at] + "!", rng.choice(lines)])
    return now, kind


def embeddings(short, long, i, j, left):
    """Every way in which `short` from i on is what is left of `long` from j on without `left` runs of it: where each line is."""
    more = (len(long) - j) - (len(short) - i)
    if more == 0:
        if short[i:] == long[j:]:
            yield list(range(j, len(long)))
        return
    if i == len(short):
        if left:
            yield []
        return
    if short[i] == long[j]:
        for rest in embeddings(short, long, i + 1, j + 1, left):
            yield [j, *rest]
    for k in range(1, more + 1 if left else 1):
        if short[i] == long[j + k]:
            for rest in embeddings(short, long, i + 1, j + k + 1, left - 1):
                yield [j + k, *rest]


def alignments(lines, now, kind):
    """Every way in which the one can have become the other: where each line is, or None."""
    if kind == "come":
        yield from embeddings(lines, now, 0, 0, CHANGES)
    elif kind == "other":
        yield [i if line == now[i] else None for i, line in enumerate(lines)]
    else:
        for kept in embeddings(now, lines, 0, 0, CHANGES):
            where = dict(zip(kept, range(len(now))))
            yield [where.get(i) for i in range(len(lines))]


def meant(where, now, op):
    """What the edit leads to when the lines are there; an insertion stays with one of its neighbours."""
    if op.kind in "+<":
        gap = op.first - (op.kind == "<")
        places = {where[gap - 1] + 1} if gap > 0 and where[gap - 1] is not None else set()
        if gap < len(where) and where[gap] is not None:
            places.add(where[gap])
        return [now[:at] + op.payload + now[at:] for at in places]
    found = where[op.first - 1:op.last]
    if None in found or found != list(range(found[0], found[0] + len(found))):
        return []
    return [now[:found[0]] + op.payload + now[found[-1] + 1:]]


def check_recovered(here, lines, now, kind, op, after):
    wanted = {"".join(text + "\n" for text in texts) for where in alignments(lines, now, kind) for texts in meant(where, now, op)}
    if after not in wanted:
        raise Difference(f"another place than was meant: {here}\ngot {after!r}\nwant one of {wanted}")
    if len(wanted) > 1 and op.kind in "=-":
        raise Difference(f"nobody can say which place was meant: {here}\ngot {after!r}\ncould be each of {wanted}")


def whole(lines):
    return "".join(line + "\n" for line in lines)


def meanwhile_case(place, rng):
    lines = twins_in(rng)
    name = place.next_file()
    place.put(name, whole(lines))
    first = rng.randrange(1, len(lines) + 1)
    selector, shown = "", range(1, len(lines) + 2)
    if rng.random() < 0.15:
        begin, end = max(1, first - rng.randrange(6)), first + rng.randrange(6)
        selector, shown = f":{begin}-{end}", range(max(1, begin - 3), end + 4)
    place.call("read", path=name + selector)
    kind = rng.choice("+<=-")
    last = first if kind in "+<" else min(len(lines), first + rng.randrange(7))
    op = Op(kind, first, last, [] if kind == "-" else ["put in 1", "put in 2"])
    now, how = change(rng, lines)
    place.put(name, whole(now))
    edit = input_of(rng, name, [*lines, ""], [op])
    answer, is_error = place.call("edit", input=edit)
    if answer.startswith("Refused: "):
        answer, is_error = place.call("edit", input=edit)
    after = place.text(name)
    here = f"{edit!r}\nof {lines}\nread {selector!r}, now {now}\nanswer {answer!r}"
    if is_error:
        expect_same(f"untouched by {here}", after, whole(now))
    elif RECOVERED in answer:
        check_recovered(here, lines, now, how, op, after)
        place.recovered += 1
    else:  # the anchors fit what is there now, and what is between them is what was shown
        for number in range(op.first + 1, op.last) if kind in "=-" else ():
            expect_same(f"line {number} inside the range, shown, by {here}", (now[number - 1], number in shown), (lines[number - 1], True))
        repair([*now, ""], [op])
        expect_same(f"the file, by {here}", after, "\n".join(apply([*now, ""], [op])))
    place.remove(name)


def hashline_case(place, rng):
    if rng.random() < 0.6:
        plain_case(place, rng)
    else:
        meanwhile_case(place, rng)


def replace_case(place, rng):
    replace_edits.replace_case(place, rng, sys.modules[__name__])


def patch_case(place, rng):
    patch_edits.patch_case(place, rng, sys.modules[__name__])


def apply_patch_case(place, rng):
    patch_edits.apply_patch_case(place, rng, sys.modules[__name__])


MODES = {"hashline": hashline_case, "replace": replace_case, "patch": patch_case, "apply_patch": apply_patch_case}


def play(mode, count, seed):
    root = os.path.realpath(tempfile.mkdtemp(prefix="kedge-edits-", dir="/dev/shm" if os.path.isdir("/dev/shm") else None))
    place = Place(root, mode)
    place.recovered = place.refused = 0
    try:
        for number in range(count):
            try:
                MODES[mode](place, random.Random(f"{seed}/{mode}/{number}"))
            except Difference as difference:
                return f"case {number} of seed {seed}: {difference}", place
        return None, place
    finally:
        place.client.close()
        shutil.rmtree(root, ignore_errors=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--count", type=int, default=300, help="cases of each mode")
    parser.add_argument("--seed", default="1")
    parser.add_argument("--mode", choices=sorted(MODES), action="append")
    options = parser.parse_args()
    modes = options.mode or sorted(MODES)
    print(f"1..{len(modes)}")
    failed = False
    for number, mode in enumerate(modes, 1):
        problem, place = play(mode, options.count, options.seed)
        failed = failed or problem is not None
        said = problem or (f"{place.recovered} edits carried over to a changed file, {place.refused} refused" if place.recovered else "")
        for line in said.splitlines():
            print("# " + line)
        print(f"{'not ok' if problem else 'ok'} {number} - {mode}: {options.count} edits as the reference makes them", flush=True)
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
