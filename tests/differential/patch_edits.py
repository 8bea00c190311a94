"""Cases for edits.py: the modes patch and apply_patch of edit, by references that read as the rules do.

patch: made-up hunks for a made-up file, by context lines, @@ contexts, line numbers or order, spelled exactly or with other white space and
quotes. The reference says what becomes of the file, or that it is refused. A hunk that was made without a flaw must also change the very lines
that were meant, whatever twins they have.
apply_patch: files that are made, changed, moved and deleted, against a dictionary of texts; one entry that cannot be made, and none is.
"""
import os

QUOTES = {"“": '"', "”": '"', "’": "'", "–": "-"}
WORDS = ["f()", "{", "}", "    step();", "    stop();", "", "", "    return 0;", "\treturn 0;", "say(“é”)", "a – b", "int  a = 1;", "tail  ",
         "-- old", "++ new", "@@ x", "*** End Patch", "...", "日本", "a\rb"]


class Hunk:
    def __init__(self, lines, start):
        self.lines, self.start = lines, start  # (sign, text); the line of the file, from 0, that is meant
        self.hint, self.contexts, self.is_at_end = 0, [], False

    def old(self):
        return [text for sign, text in self.lines if sign != "+"]

    def text(self, rng):
        out = []
        if self.hint:
            count = len(self.old())
            out.append(f"@@ -{self.hint},{count} +{self.hint},{count} @@" if rng.random() < 0.7 and count else f"@@ line {self.hint}")
        out += [f"@@ {context}" for context in self.contexts]
        out = out or [rng.choice(["@@", "@@ @@"])]
        out += ["" if (sign, text) == (" ", "") and rng.random() < 0.5 and i < len(self.lines) - 1 else sign + text
                for i, (sign, text) in enumerate(self.lines)]
        return "\n".join(out + (["*** End of File"] if self.is_at_end else []))


# ---- the reference -----------------------------------------------------------------


class Refused(Exception):
    pass


def plain(line):
    line = "".join(QUOTES.get(c, c) for c in line if c != "\r")
    return " ".join(line.split())


def bare(line):
    return line.rstrip(" \t\r\v\f")


PASSES = [lambda line: line, bare, plain]


def places(lines, old, same, start=0):
    keys, wanted = [same(line) for line in lines], [same(line) for line in old]
    return [i for i in range(start, len(lines) - len(old) + 1) if keys[i:i + len(old)] == wanted]


def choose(found, hint, context, is_only, is_alike):
    if len(found) == 1:
        return found[0]
    if hint:
        near = sorted(abs(place - (hint - 1)) for place in found)
        if near[0] != near[1] and near[0] <= 200:
            return min(found, key=lambda place: abs(place - (hint - 1)))
    if context is None or is_only or is_alike:
        raise Refused(f"places {found}")
    return found[0]


def look(lines, old, start, hint, context, is_only=False):
    for number, same in enumerate(PASSES):
        if number == 2 and not any(plain(line) for line in old):
            continue  # blank lines alone are not alike anything
        found = places(lines, old, same, start)
        if not found and context is None and start:
            found = [place for place in places(lines, old, same) if place < start]
        if found:
            return choose(found, hint, context, is_only, number == 2), number == 0
    return None


def variants(lines):
    """The readings of a hunk that fits nowhere, in order."""
    if len(lines) > 1 and lines[-1] == (" ", ""):
        yield lines[:-1]
    changed = [i for i, (sign, _) in enumerate(lines) if sign != " "]
    if changed and (changed[0] > 0 or changed[-1] < len(lines) - 1):
        yield lines[changed[0]:changed[-1] + 1]
    once = [line for i, line in enumerate(lines) if not (i and line[0] == " " and lines[i - 1] == line)]
    if len(once) < len(lines):
        yield once


def find_context(lines, contexts, start, hint):
    """Only whole lines are made up as contexts."""
    for begin in [0 if hint else start, 0]:
        at, is_inner = begin, False
        for context in contexts:
            for same in (lambda line: line, lambda line: line.strip(" \t\r\v\f"), plain):
                found = [i for i in range(at, len(lines)) if same(lines[i]) == same(context)]
                if found:
                    break
            if not found:
                break
            before = [i for i in found if i < hint]
            if len(found) == 1 or is_inner:
                line = found[0]
            elif before:
                line = before[-1]
            else:
                raise Refused(f"contexts {found}")
            at, is_inner = line + 1, True
        else:
            return line
    raise Refused("no context")


def place_hunk(lines, hunk, start):
    """Where the hunk goes, as which lines."""
    context = find_context(lines, hunk.contexts, start, hunk.hint) if hunk.contexts else None
    old = hunk.old()
    if not old:
        at = context + 1 if context is not None else hunk.hint - 1 if hunk.hint else len(lines)
        if at > len(lines):
            raise Refused("out of range")
        return at, hunk.lines
    if hunk.is_at_end and len(old) <= len(lines):
        found = look(lines, old, len(lines) - len(old), 0, 0)
        if found:
            return found[0], hunk.lines
    begin = context if context is not None else 0 if hunk.hint else start
    found = look(lines, old, begin, hunk.hint, context)
    if found:
        return found[0], hunk.lines
    for other in variants(hunk.lines):
        old_of_other = [text for sign, text in other if sign != "+"]
        if any(old_of_other):
            found = look(lines, old_of_other, begin if context is not None else 0, hunk.hint, context, True)
            if found:
                return found[0], other
    if context is not None:
        found = look(lines, old, 0, 0, None, True)
        if found:
            return found[0], hunk.lines
    raise Refused("nowhere")


def reference(lines, hunks):
    start, edits = 0, []
    for order, hunk in enumerate(hunks):
        at, body = place_hunk(lines, hunk, start)
        start = at + sum(sign != "+" for sign, _ in body)
        begin = next((i for i, (sign, _) in enumerate(body) if sign != " "), None)
        if begin is None:
            continue
        last = max(i for i, (sign, _) in enumerate(body) if sign != " ")
        first = at + begin
        size, new = 0, []
        for sign, text in body[begin:last + 1]:
            if sign == " ":
                new.append(lines[first + size])
            elif sign == "+":
                new.append(text)
            size += sign != "+"
        edits.append((first, size > 0, order, size, new, not hunk.old()))
    edits.sort(key=lambda edit: edit[:3])
    for a, b in zip(edits, edits[1:]):
        if a[0] + a[3] > b[0] or (a[0] == b[0] and a[3] == b[3] == 0 and not a[5] and not b[5]):
            raise Refused("overlap")
    out = list(lines)
    for first, _, _, size, new, _ in reversed(edits):
        out[first:first + size] = new
    return out


# ---- made-up cases -----------------------------------------------------------------


def some_lines(rng, most):
    lines = []
    size = rng.randrange(most)
    block = [rng.choice(WORDS) for _ in range(rng.randrange(1, 7))]
    while len(lines) < size:
        lines += block if rng.random() < 0.4 else [rng.choice([f"own {rng.randrange(60)}", f"    own {rng.randrange(60)}", rng.choice(WORDS)])]
    return lines[:size]


def other_spelling(rng, line):
    """The same line as a model may write it; indented as it is, so that nothing is indented anew."""
    indent, rest = line[:len(line) - len(line.lstrip())], line.lstrip()
    return rng.choice([line + "  ", bare(line), indent + rest.replace("“", '"').replace("”", '"'), indent + rest.replace("  ", " "),
                       indent + rest.replace("–", "-")])


def some_hunk(rng, lines, start):
    """A hunk for lines from `start` on, and what it is meant to make of them; None when there is no room."""
    if start >= len(lines):
        return None
    first = rng.randrange(start, len(lines))
    gone = rng.choice([0, 1, 1, 2])
    gone = min(gone, len(lines) - first)
    new = [f"new {rng.randrange(100)}" if rng.random() < 0.8 else rng.choice(WORDS) for _ in range(rng.choice([0, 1, 1, 2]))]
    if not gone and not new:
        new = ["new"]
    before, behind = min(first - start, rng.randrange(4)), min(len(lines) - first - gone, rng.randrange(4))
    body = ([(" ", line) for line in lines[first - before:first]] + [("-", line) for line in lines[first:first + gone]] +
            [("+", line) for line in new] + [(" ", line) for line in lines[first + gone:first + gone + behind]])
    hunk = Hunk(body, first - before)
    hunk.end = first + gone + behind
    hunk.meant = (first, gone, new)
    return hunk


def dress(rng, lines, hunk):
    """Says where it belongs, rightly; whether that is the plain truth."""
    kind = rng.random()
    if kind < 0.25:
        hunk.hint = hunk.start + 1
    elif kind < 0.5:
        named = [i for i in range(hunk.start + (not hunk.old())) if lines[i].strip() and lines[i].strip()[0] not in "-.@" and "\r" not in lines[i]]
        if named:
            hunk.contexts = [lines[named[-1]].strip()]
    if hunk.end == len(lines) and hunk.old() and rng.random() < 0.3:
        hunk.is_at_end = True


def spoil(rng, hunk):
    """Flaws as models make them; False when there is none."""
    kind = rng.random()
    if kind < 0.12 and hunk.hint:
        hunk.hint = max(1, hunk.hint + rng.randrange(-6, 7))
    elif kind < 0.24:
        hunk.lines = [(sign, other_spelling(rng, text)) if sign == " " else (sign, text) for sign, text in hunk.lines]
    elif kind < 0.3 and hunk.lines[0][0] == " ":
        hunk.lines[0] = (" ", "wrong " + hunk.lines[0][1])
    elif kind < 0.34:
        hunk.contexts = ["no such line"]
    elif kind < 0.38:
        hunk.lines.append((" ", ""))
    else:
        return False
    return True


def some_text(rng, lines):
    """A last line that is empty needs its newline, to be one."""
    return "\n".join(lines) + ("\n" if rng.random() < 0.85 or not lines[-1] else "")


def patch_case(place, rng, tools):
    lines = some_lines(rng, 30) or ["only"]
    text = some_text(rng, lines)
    ends = text.endswith("\n")
    has_bom = rng.random() < 0.1
    lines, end = tools.with_ends(rng, lines + [""] * ends)
    before = tools.bytes_of(lines, has_bom)
    lines = lines[:len(lines) - ends]
    hunks, start = [], 0
    for _ in range(rng.choice([1, 1, 2, 3])):
        hunk = some_hunk(rng, lines, start)
        if hunk:
            hunks.append(hunk)
            start = hunk.end
    is_in_order = len(hunks) == 1 or rng.random() < 0.9
    if not is_in_order:
        rng.shuffle(hunks)
    is_sound = True
    for hunk in hunks:
        dress(rng, lines, hunk)
        is_sound = not spoil(rng, hunk) and is_sound
    # a single bare hunk is also looked for within lines, which the reference does not do
    if len(hunks) == 1 and not any(sign == " " for sign, _ in hunks[0].lines) and not is_sound:
        return
    diff = "\n".join(hunk.text(rng) for hunk in hunks)
    name = place.next_file()
    place.put(name, before)
    try:
        wanted = reference(lines, hunks)
        after = "\n".join(wanted) + ("\n" if ends and wanted else "")
    except Refused as refused:
        after, why = None, str(refused)
    answer, is_error = place.call("edit", path=name, edits=[{"diff": diff}])
    here = f"{diff!r}\nof {text!r}\nanswer {answer!r}"
    if after is None:
        tools.expect_same(f"refused ({why}): {here}", is_error, True)
        after, wanted = text, lines
    else:
        tools.expect_same(f"made: {here}", is_error, False)
        tools.expect_same(f"what is said: {here}", answer, f"Updated {name}" if after != text else tools.NO_CHANGE.format(name))
    tools.check_file(f"by {here}", place.text(name), wanted + [""] * bool(ends and wanted) or [""], end, has_bom)
    if is_sound and is_in_order and not is_error and all(hunk.old() and not hunk.contexts for hunk in hunks):
        meant = list(lines)
        for hunk in sorted(hunks, key=lambda hunk: (hunk.meant[0], hunk.meant[1] > 0), reverse=True):
            first, gone, new = hunk.meant
            meant[first:first + gone] = new
        tools.expect_same(f"another place than was meant: {here}", after, "\n".join(meant) + ("\n" if ends and meant else ""))
    place.remove(name)


# ---- several files -----------------------------------------------------------------


class World:
    """Texts by names, as the entries of a patch leave them."""

    def __init__(self, files):
        self.files = dict(files)
        self.made = set()  # names of files that the patch has made

    def free_name(self, rng):
        return rng.choice([f"{rng.randrange(9)}.c", f"d{rng.randrange(3)}/{rng.randrange(9)}.c"])


def change_of(rng, text):
    """A hunk for one line that is there once, and the text that it makes; None when there is none."""
    lines = text.split("\n")
    once = [i for i, line in enumerate(lines) if line.startswith("own ") and lines.count(line) == 1]
    if not once:
        return None
    i = rng.choice(once)
    lines_after = lines[:i] + [f"new {rng.randrange(1000)}"] + lines[i + 1:]
    return f"@@\n-{lines[i]}\n+{lines_after[i]}\n", "\n".join(lines_after)


def some_entry(rng, world):
    """(text, what is said, is it possible); does it to the world."""
    names = sorted(world.files)
    kind = rng.random()
    if kind < 0.3 or not names:
        name = world.free_name(rng)
        lines = some_lines(rng, 5) + [f"own {rng.randrange(1000)}"]
        is_old = name in world.files and name not in world.made
        if not is_old:
            world.made.add(name)
        world.files[name] = "\n".join(lines) + "\n"
        said = f"Replaced all of {name}" if is_old else f"Created {name}"
        return f"*** Add File: {name}\n" + "".join(f"+{line}\n" for line in lines), said, True
    name = rng.choice(names)
    if kind < 0.45:
        del world.files[name]
        world.made.discard(name)
        return f"*** Delete File: {name}\n", f"Deleted {name}", True
    if kind < 0.5:
        missing = world.free_name(rng)
        is_there = missing in world.files
        world.files.pop(missing, None)
        world.made.discard(missing)
        return f"*** Delete File: {missing}\n", f"Deleted {missing}", is_there
    change = change_of(rng, world.files[name])
    if not change:
        return "", None, True
    if kind < 0.55:
        return f"*** Update File: {name}\n@@ no such line\n-x\n+y\n", None, False
    hunk, text = change
    if kind < 0.8:
        world.files[name] = text
        return f"*** Update File: {name}\n{hunk}", f"Updated {name}", True
    to = world.free_name(rng)
    if to in world.files:
        return f"*** Update File: {name}\n*** Move to: {to}\n{hunk}", None, False
    del world.files[name]
    world.files[to] = text
    if name in world.made:
        world.made.remove(name)
        world.made.add(to)
    return f"*** Update File: {name}\n*** Move to: {to}\n{hunk}", f"Updated and moved {name} to {to}", True


def files_below(root):
    found = {}
    for at, _, names in os.walk(root):
        for name in names:
            path = os.path.join(at, name)
            with open(path, "rb") as file:
                found[os.path.relpath(path, root)] = file.read().decode()
    return found


def apply_patch_case(place, rng, tools):
    root = os.path.join(place.root, "w")
    before = files_below(root)
    if len(before) > 12:  # one world goes on, but does not grow
        for name in sorted(before)[:8]:
            os.unlink(os.path.join(root, name))
            del before[name]
    world = World(before)
    text, said, is_possible = "*** Begin Patch\n", [], True
    for _ in range(rng.randrange(1, 7)):
        entry, line, can_be = some_entry(rng, world)
        text += entry
        said += [line] if line else []
        is_possible = is_possible and can_be
        if not is_possible:
            break
    text += "*** End Patch"
    if text.count("\n") == 1:
        return
    answer, is_error = place.call("edit", input=text)
    here = f"{text!r}\nof {before!r}\nanswer {answer!r}"
    tools.expect_same(f"made or refused: {here}", is_error, not is_possible)
    if is_possible:
        tools.expect_same(f"what is said: {here}", answer, "\n".join(said))
    tools.expect_same(f"the files, by {here}", files_below(root), world.files if is_possible else before)
