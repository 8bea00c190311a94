"""The third part of the Python kernel: what cells can call: tools of the session, and helpers."""


class ToolError(RuntimeError):
    """A tool of the session said no, or failed."""


class ToolText(str):
    """What a tool answered: its text, with .details and .images."""

    details = None
    images = ()

    @property
    def text(self):
        return str(self)

    def __repr__(self):
        return str(self)

    def __getitem__(self, key):
        if key in ("text", "details", "images"):
            return getattr(self, key)
        return str.__getitem__(self, key)


def _call_tool(name, arguments):
    if os.getpid() != PID:
        raise ToolError("tools can be called from the kernel's own process only")
    cell = _State.cell
    if not cell or not _State.running:
        raise ToolError("tools can be called while a cell runs only")
    call_id = str(next(_numbers))
    _call_ids.add(call_id)
    try:
        _send({"type": "tool-call", "id": call_id, "cell": cell, "name": name, "args": arguments})
        reply = _receive(lambda: _replies.pop(call_id, None))
    finally:
        _call_ids.discard(call_id)
        _replies.pop(call_id, None)
    if not reply.get("ok"):
        raise ToolError(reply.get("error") or "the call failed")
    value = reply.get("value")
    if isinstance(value, str):
        return ToolText(value)
    result = ToolText(value.get("text") or "")
    result.details = value.get("details")
    result.images = value.get("images") or ()
    return result


class _Tool:
    def __init__(self, name):
        self._name = name

    def __repr__(self):
        return f"<tool {self._name}>"

    def __call__(self, args=None, /, **more):
        if args is not None and not isinstance(args, dict):
            raise TypeError(f"tool.{self._name}() takes a dict or keyword arguments")
        return _call_tool(self._name, {**(args or {}), **more})


class _Tools:
    """tool.NAME(field=value, …): calls a tool of the session."""

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        return _Tool(name)

    def __getitem__(self, name):
        return _Tool(name)


def env(key=None, value=None):
    """The environment; one variable; or sets one."""
    if key is None:
        _status("env", count=len(os.environ))
        return dict(os.environ)
    if value is not None:
        os.environ[str(key)] = str(value)
    _status("env", key=str(key), action="get" if value is None else "set")
    return os.environ.get(str(key))


def read(path, *, offset=1, limit=None):
    """The text of a file, or `limit` lines of it from line `offset`."""
    with open(path, encoding="utf-8", errors="replace", newline="") as file:
        text = file.read()
    if offset > 1 or limit is not None:
        lines = text.splitlines(True)
        text = "".join(lines[max(offset - 1, 0):None if limit is None else max(offset - 1, 0) + limit])
    _status("read", path=str(path), chars=len(text), preview=text[:500])
    return text


def _write(path, text, mode, op):
    path = os.path.abspath(path)
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, mode, encoding="utf-8", newline="") as file:
        file.write(text)
    _status(op, path=path, bytes=len(text.encode("utf-8", "surrogatepass")))
    return path


def write(path, text):
    """Writes a file; its directories are made."""
    return _write(path, text, "w", "write")


def append(path, text):
    """Appends to a file."""
    return _write(path, text, "a", "append")


def sort(text, *, reverse=False, unique=False):
    """The lines of a text, sorted."""
    lines = text.splitlines()
    lines = sorted(set(lines) if unique else lines, reverse=reverse)
    _status("sort", lines=len(lines))
    return "\n".join(lines)


def uniq(text, *, count=False):
    """Without repeated neighbours; with count: [(count, line)]."""
    groups = []
    for line in text.splitlines():
        if groups and groups[-1][1] == line:
            groups[-1][0] += 1
        else:
            groups.append([1, line])
    _status("uniq", groups=len(groups))
    return [tuple(group) for group in groups] if count else "\n".join(group[1] for group in groups)


def counter(items, *, limit=None, reverse=True):
    """[(count, item)], the most frequent first."""
    found = {}
    for item in items.splitlines() if isinstance(items, str) else items:
        found[item] = found.get(item, 0) + 1
    pairs = sorted(((count, item) for item, count in found.items()), key=lambda pair: pair[0], reverse=reverse)
    _status("counter", unique=len(found))
    return pairs[:limit]


def tree(path=".", *, max_depth=3, show_hidden=False):
    """The directory as a tree."""
    lines = [str(path).rstrip("/") + "/"]

    def walk(place, prefix, depth):
        try:
            entries = sorted(os.scandir(place), key=lambda entry: (not entry.is_dir(follow_symlinks=False), entry.name))
        except OSError:
            return
        entries = [entry for entry in entries if show_hidden or not entry.name.startswith(".")]
        for number, entry in enumerate(entries):
            if len(lines) > MAX_SHOWN_ITEMS:
                return
            is_last, is_dir = number == len(entries) - 1, entry.is_dir(follow_symlinks=False)
            lines.append(prefix + ("└── " if is_last else "├── ") + entry.name + ("/" if is_dir else ""))
            if is_dir and depth < max_depth:
                walk(entry.path, prefix + ("    " if is_last else "│   "), depth + 1)

    walk(path, "", 1)
    if len(lines) > MAX_SHOWN_ITEMS:
        lines.append("…")
    _status("tree", path=str(path), entries=len(lines) - 1)
    return "\n".join(lines)


def diff(a, b):
    """The difference of two files, unified."""
    texts = []
    for path in (a, b):
        with open(path, encoding="utf-8", errors="replace") as file:
            texts.append(file.read().splitlines(True))
    text = "".join(_standard("difflib").unified_diff(*texts, str(a), str(b)))
    _status("diff", a=str(a), b=str(b), identical=not text)
    return text


def _query(value, query):
    """.a[0].b"""
    import re
    for key, index in re.findall(r"([^.\[\]]+)|\[(\d+)\]", query):
        value = value[int(index)] if index else value[key]
    return value


def _one_output(output_id, format, query, offset, limit):
    folder = os.environ.get("KEDGE_ARTIFACTS_DIR", "")
    names = sorted(os.listdir(folder)) if folder and os.path.isdir(folder) else []
    exact = f"{output_id}.md"
    found = [exact] if exact in names else [name for name in names if name.startswith(f"{output_id}.")]
    if not found:
        raise FileNotFoundError(f"no output {output_id}; there are: {', '.join(names) or 'none'}")
    with open(os.path.join(folder, found[0]), encoding="utf-8", errors="replace") as file:
        text = file.read()
    if format == "json" or query:
        value = json.loads(text)
        return _query(value, query) if query else value
    if format == "stripped":
        text = text.strip()
    if offset is not None or limit is not None:
        first = max((offset or 1) - 1, 0)
        text = "".join(text.splitlines(True)[first:None if limit is None else first + limit])
    return text


def output(*ids, format="raw", query=None, offset=None, limit=None):
    """What an artifact or an agent of this session has put out, by its id."""
    if not ids:
        raise TypeError("output() needs an id")
    values = [_one_output(each, format, query, offset, limit) for each in ids]
    _status("output", ids=[str(each) for each in ids])
    return values[0] if len(values) == 1 else values


class StdinNotImplementedError(RuntimeError):
    """There is nobody to type."""


for _each in (ToolError, StdinNotImplementedError):
    _each.__module__ = "builtins"  # shown by their names alone


def _no_input(prompt="", /):
    _send({"type": "stdin"})
    raise StdinNotImplementedError("input() cannot be answered here: put the value into the code")
