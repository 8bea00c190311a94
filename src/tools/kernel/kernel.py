"""kedge's Python kernel: runs the cells of the eval tool, one after the other, in one namespace.

Requests come and answers go as lines of JSON on two private pipes; what cells print, what their children print, values
and tracebacks go to standard output as they come. Standard library only; Python 3.8 or later.
"""
import ast
import base64
import builtins
import fcntl
import io
import json
import linecache
import os
import signal
import sys
import threading
import time
import traceback
import types

PID = os.getpid()
KERNEL_FILE = "<kedge kernel>"
MAX_IMAGE_BYTES = 8 << 20
MAX_JSON_CHARS = 1 << 20
MAX_SHOWN_ITEMS = 1000


def _private(fd):
    """A copy of a descriptor that the user's code does not meet, nor its children."""
    copy = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, 200)
    return copy


_requests = io.open(_private(3), "rb")
_answers = _private(4)
_output = _private(1)
_life = _private(5)  # kept open: kedge's end closes it, and that ends us
for _each in (3, 4, 5):
    os.close(_each)
_answer_lock = threading.Lock()
_request_lock = threading.RLock()


class _State:
    cwd = file = ""
    user = streams = None
    running = False
    count = 0
    loop = None
    calls = 0
    names = frozenset()
    cell = ""


def _write_all(fd, data):
    view = memoryview(data)
    while view:
        view = view[os.write(fd, view):]


def _send(frame):
    # a line of its own, whatever somebody has written there before
    data = ("\n" + json.dumps(frame) + "\n").encode("ascii")
    with _answer_lock:
        _write_all(_answers, data)


def _show(text):
    """Text of the kernel, behind what the cell has printed so far."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except Exception:
            pass
    _write_all(_output, text.encode("utf-8", "backslashreplace"))


def _status(op, **fields):
    _send({"type": "status", "event": {"op": op, **fields}})


def _standard(name):
    """A module of the standard library, though the directory has a file of its name."""
    import importlib
    if name in sys.modules:
        return sys.modules[name]
    path = sys.path[:]
    sys.path[:] = [entry for entry in path if entry and entry != _State.cwd]
    try:
        return importlib.import_module(name)
    finally:
        sys.path[:] = path


# ---- values -----------------------------------------------------------------


def _html_text(html):
    """Tables as Markdown, the rest as its text."""
    parser_class = _standard("html.parser").HTMLParser

    class Reader(parser_class):
        def __init__(self):
            super().__init__()
            self.lines, self.row, self.cell, self.skip, self.is_first = [""], None, None, 0, True

        def handle_starttag(self, tag, attributes):
            if tag in ("script", "style"):
                self.skip += 1
            elif tag == "table":
                self.is_first = True
            elif tag == "tr":
                self.row = []
            elif tag in ("td", "th"):
                self.cell = ""
            elif tag in ("p", "div", "br", "li", "h1", "h2", "h3", "h4", "pre"):
                self.lines.append("- " if tag == "li" else "#" * int(tag[1]) + " " if tag[0] == "h" else "")

        def handle_endtag(self, tag):
            if tag in ("script", "style"):
                self.skip = max(0, self.skip - 1)
            elif tag in ("td", "th") and self.row is not None and self.cell is not None:
                self.row.append(" ".join(self.cell.split()).replace("|", "\\|"))
                self.cell = None
            elif tag == "tr" and self.row is not None:
                self.lines.append("| " + " | ".join(self.row) + " |")
                if self.is_first:
                    self.lines.append("|" + " --- |" * len(self.row))
                self.is_first, self.row = False, None
                self.lines.append("")

        def handle_data(self, data):
            if self.skip:
                return
            if self.cell is not None:
                self.cell += data
            else:
                self.lines[-1] += data

    reader = Reader()
    reader.feed(html)
    reader.close()
    return "\n".join(line.rstrip() for line in reader.lines if line.strip())


def _call_repr(value, name):
    method = getattr(type(value), name, None)
    if method is None:
        return None
    try:
        made = method(value)
    except Exception:
        return None
    return made[0] if isinstance(made, tuple) else made


def _bundle(value):
    """MIME type -> data, as notebooks have it."""
    bundle = _call_repr(value, "_repr_mimebundle_")
    bundle = dict(bundle) if isinstance(bundle, dict) else {}
    for name, mime in (("_repr_markdown_", "text/markdown"), ("_repr_html_", "text/html"), ("_repr_png_", "image/png"),
                       ("_repr_jpeg_", "image/jpeg"), ("_repr_json_", "application/json")):
        if mime not in bundle:
            data = _call_repr(value, name)
            if data is not None:
                bundle[mime] = data
    is_plain = type(value).__repr__ is object.__repr__
    if "text/plain" not in bundle and not (is_plain and ("text/html" in bundle or "text/markdown" in bundle)):
        bundle["text/plain"] = repr(value)
    return bundle


def _emit_image(data, mime):
    if isinstance(data, str):
        data = base64.b64decode(data)
    if len(data) > MAX_IMAGE_BYTES:
        _show(f"[an image of {len(data)} bytes is left out: {MAX_IMAGE_BYTES} are allowed]\n")
        return
    _send({"type": "display", "image": base64.b64encode(data).decode("ascii"), "mime": mime})


def _emit_json(value):
    text = json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False)
    _send({"type": "display", "json": text[:MAX_JSON_CHARS], "chars": len(text)})


def _emit_bundle(bundle):
    status = bundle.get("application/x-kedge-status", bundle.get("application/x-omp-status"))
    if isinstance(status, dict):
        _send({"type": "status", "event": status})
        return
    for mime in ("image/png", "image/jpeg"):
        if bundle.get(mime):
            _emit_image(bundle[mime], mime)
            return
    if "application/json" in bundle:
        _emit_json(bundle["application/json"])
        return
    if "text/markdown" in bundle:
        _send({"type": "display", "markdown": True})
        text = bundle["text/markdown"]
    elif "text/plain" in bundle:
        text = bundle["text/plain"]
    else:
        text = _html_text(str(bundle.get("text/html", "")))
    text = "".join(text) if isinstance(text, list) else str(text)
    _show(text if text.endswith("\n") else text + "\n")


def display(*values):
    """Shows values: images, tables, JSON (dict, list), text."""
    for value in values:
        if isinstance(value, (dict, list, tuple)):
            if isinstance(value, dict) and value and all(isinstance(key, str) and "/" in key for key in value):
                _emit_bundle(value)
                continue
            try:
                _emit_json(value)
                continue
            except (TypeError, ValueError, RecursionError):
                pass
        _emit_bundle(_bundle(value))


def _close_figures():
    pyplot = sys.modules.get("matplotlib.pyplot")
    if pyplot is None:
        return
    for number in pyplot.get_fignums():
        buffer = io.BytesIO()
        figure = pyplot.figure(number)
        figure.savefig(buffer, format="png", bbox_inches="tight")
        pyplot.close(figure)
        _emit_image(buffer.getvalue(), "image/png")


# ---- tools of the session ---------------------------------------------------


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


def _take_reply(call_id):
    while True:
        line = _requests.readline()
        if not line:
            os._exit(0)
        reply = json.loads(line)
        if reply.get("type") == "exit":
            os._exit(0)
        if reply.get("type") == "tool-reply" and reply.get("id") == call_id:
            return reply


def _call_tool(name, arguments):
    if os.getpid() != PID:
        raise ToolError("tools can be called from the kernel's own process only")
    if not _State.running:
        raise ToolError("tools can be called while a cell runs only")
    with _request_lock:
        _State.calls += 1
        call_id = str(_State.calls)
        _send({"type": "tool-call", "id": call_id, "cell": _State.cell, "name": name, "args": arguments})
        reply = _take_reply(call_id)
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


# ---- helpers ----------------------------------------------------------------


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


# ---- magics -----------------------------------------------------------------


class _Lines(list):
    """The output of a command, by lines; .s: the whole."""

    @property
    def n(self):
        return "\n".join(self)

    @property
    def s(self):
        return " ".join(self)


def _run_shell(command, shows, program=None):
    subprocess = _standard("subprocess")
    argv = program or ["/bin/sh", "-c", command]
    stdin = subprocess.DEVNULL if program is None else subprocess.PIPE
    child = subprocess.Popen(argv, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    kept = []
    try:
        if program is not None:
            def feed():
                try:
                    child.stdin.write(command.encode())
                    child.stdin.close()
                except OSError:
                    pass
            threading.Thread(target=feed, daemon=True).start()
        for line in iter(child.stdout.readline, b""):
            text = line.decode("utf-8", "replace")
            if shows:
                sys.stdout.write(text)
            else:
                kept.append(text.rstrip("\n"))
    except BaseException:
        child.kill()
        raise
    finally:
        child.stdout.close()
        child.wait()
    _State.user["_exit_code"] = child.returncode
    return _Lines(kept)


def _evict(words):
    """Modules of what was installed are imported anew."""
    for word in words:
        name = word.split("[")[0].split("=")[0].split("<")[0].split(">")[0].replace("-", "_").lower()
        for module in list(sys.modules):
            if module.split(".")[0].lower() == name:
                del sys.modules[module]
    _standard("importlib").invalidate_caches()


def _magic_pip(rest):
    words = _standard("shlex").split(rest)
    subprocess = _standard("subprocess")
    child = subprocess.Popen([sys.executable, "-m", "pip", *words], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT)
    for line in iter(child.stdout.readline, b""):
        sys.stdout.write(line.decode("utf-8", "replace"))
    if child.wait() == 0 and words[:1] == ["install"]:
        _evict(word for word in words[1:] if not word.startswith("-"))


def _magic_cd(rest):
    os.chdir(os.path.expanduser(rest.strip().strip("'\"") or "~"))
    print(os.getcwd())


def _magic_ls(rest):
    names = sorted(os.listdir(os.path.expanduser(rest.strip() or ".")))
    print("\n".join(names))


def _magic_env(rest):
    key, equals, value = rest.partition("=")
    if not rest.strip():
        return dict(os.environ)
    if not equals and len(rest.split(None, 1)) == 2:
        key, value = rest.split(None, 1)
        equals = "="
    if equals:
        os.environ[key.strip()] = value.strip()
        return None
    return os.environ.get(key.strip())


def _timed(source, name):
    start, cpu = time.perf_counter(), time.process_time()
    value = _execute(source, name)
    print(f"CPU times: {time.process_time() - cpu:.3g} s\nWall time: {time.perf_counter() - start:.3g} s")
    return value


def _magic_timeit(source):
    timer = _standard("timeit").Timer(source, globals=_State.user)
    loops, _ = timer.autorange()
    best = min(timer.repeat(3, loops)) / loops
    print(f"{best * 1e6:.3g} µs per loop (best of 3 runs, {loops} loops each)")


def _user_names():
    return sorted(name for name in _State.user if not name.startswith("_") and name not in _State.names)


def _magic_whos(rest):
    for name in _user_names():
        value = _State.user[name]
        print(f"{name:<16} {type(value).__name__:<12} {repr(value)[:60]}")


def _magic_reset(rest):
    for name in _user_names():
        del _State.user[name]


def _magic_load(rest):
    with open(os.path.expanduser(rest.strip()), encoding="utf-8") as file:
        print(file.read())


def _magic_run(rest):
    words = _standard("shlex").split(rest)
    old, sys.argv = sys.argv, words
    try:
        with open(words[0], encoding="utf-8") as file:
            exec(compile(file.read(), words[0], "exec", dont_inherit=True), _State.user)
    finally:
        sys.argv = old


_line_magics = {
    "pip": _magic_pip, "cd": _magic_cd, "pwd": lambda rest: os.getcwd(), "ls": _magic_ls, "env": _magic_env,
    "set_env": _magic_env, "time": lambda rest: _timed(rest, "<time>"), "timeit": _magic_timeit,
    "who": lambda rest: print("  ".join(_user_names())), "whos": _magic_whos, "reset": _magic_reset, "load": _magic_load,
    "run": _magic_run, "matplotlib": lambda rest: None,
}


def _magic(name, rest):
    if name not in _line_magics:
        raise NameError(f"UsageError: Line magic function `%{name}` not found.")
    return _line_magics[name](rest)


def _shell(command, shows):
    lines = _run_shell(command, shows)
    return None if shows else lines


def _cell_magic(name, rest, body):
    if name in ("bash", "sh"):
        _run_shell(body, True, [name, "-s"])
        if _State.user.get("_exit_code"):
            raise RuntimeError(f"{name} exited with code {_State.user['_exit_code']}")
    elif name == "capture":
        contextlib, buffer = _standard("contextlib"), io.StringIO()
        with contextlib.redirect_stdout(buffer), contextlib.redirect_stderr(buffer):
            _execute(body, _State.file)
        if rest.strip():
            _State.user[rest.strip()] = buffer.getvalue()
    elif name == "time":
        _timed(body, _State.file)
    elif name == "timeit":
        _magic_timeit(body)
    elif name == "writefile":
        words = _standard("shlex").split(rest)
        with open(os.path.expanduser(words[-1]), "a" if "-a" in words[:-1] else "w", encoding="utf-8") as file:
            file.write(body)
        print(f"Wrote {words[-1]}")
    else:
        raise NameError(f"UsageError: Cell magic `%%{name}` not found.")


def _is_inside(lines):
    """Does what these lines begin (a string, a bracket) go on behind them?"""
    tokenize = _standard("tokenize")
    text = "\n".join(lines) + "\n"
    depth = 0
    try:
        for token in tokenize.generate_tokens(io.StringIO(text).readline):
            if token.type == tokenize.OP:
                depth += token.string in "([{"
                depth -= token.string in ")]}"
    except tokenize.TokenError:
        return True
    except (SyntaxError, IndentationError):
        return False
    return depth > 0


def _rewrite(source):
    """Magics as Python."""
    import re
    if source.lstrip().startswith("%%"):
        head, _, body = source.lstrip().partition("\n")
        name, _, rest = head[2:].partition(" ")
        return f"__kedge__.cell_magic({name!r}, {rest!r}, {body!r})"
    lines = []
    for line in source.split("\n"):
        found = re.match(r"(\s*)((?:[A-Za-z_][\w.\[\]'\"]*\s*=\s*)?)([%!])(.*)$", line)
        if not found or _is_inside(lines):
            lines.append(line)
            continue
        indent, target, mark, rest = found.groups()
        if mark == "!":
            call = f"__kedge__.shell({rest!r}, {not target})"
        else:
            name, _, more = rest.partition(" ")
            call = f"__kedge__.magic({name!r}, {more!r})"
        lines.append(f"{indent}{target}{call}")
    return "\n".join(lines)


# ---- cells ------------------------------------------------------------------


def _parse(source, name):
    flags = ast.PyCF_ONLY_AST | ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    try:
        return compile(source, name, "exec", flags, dont_inherit=True)
    except SyntaxError:
        rewritten = _rewrite(source)
        if rewritten == source:
            raise
        return compile(rewritten, name, "exec", flags, dont_inherit=True)


def _finish(code, value):
    """Top-level await runs on one loop that persists."""
    if not code.co_flags & 0x80:  # CO_COROUTINE
        return value
    asyncio = _standard("asyncio")
    if _State.loop is None or _State.loop.is_closed():
        _State.loop = asyncio.new_event_loop()
        asyncio.set_event_loop(_State.loop)
    task = _State.loop.create_task(value)
    try:
        return _State.loop.run_until_complete(task)
    except BaseException:
        if not task.done():
            task.cancel()
            try:
                _State.loop.run_until_complete(task)
            except BaseException:
                pass
        raise


def _execute(source, name):
    """Runs it; the value of its last expression."""
    tree_ = _parse(source, name)
    last = None
    if tree_.body and isinstance(tree_.body[-1], ast.Expr) and not source.rstrip().endswith(";"):
        last = ast.Expression(tree_.body.pop().value)
    flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT
    if tree_.body:
        code = compile(tree_, name, "exec", flags, dont_inherit=True)
        _finish(code, eval(code, _State.user))
    if last is None:
        return None
    code = compile(last, name, "eval", flags, dont_inherit=True)
    return _finish(code, eval(code, _State.user))


def _traceback_text(error):
    try:
        shown = seen = traceback.TracebackException(type(error), error, error.__traceback__)
        while seen is not None:  # the frames of the kernel say nothing of the cell
            seen.stack[:] = [frame for frame in seen.stack if frame.filename != KERNEL_FILE]
            seen = seen.__cause__ or seen.__context__
        has_frames = len(shown.stack) > 0 or shown.__cause__ or shown.__context__
        return "".join(shown.format() if has_frames else shown.format_exception_only())
    except Exception as problem:  # an exception whose str() fails
        return f"{type(error).__name__} (cannot be shown: {type(problem).__name__})\n"


def _mend_streams():
    """What a cell has done to the standard descriptors ends with it."""
    want = os.fstat(_output)
    for fd in (1, 2):
        try:
            have = os.fstat(fd)
            is_ours = (have.st_dev, have.st_ino) == (want.st_dev, want.st_ino)
        except OSError:
            is_ours = False
        if not is_ours:
            os.dup2(_output, fd)
    for name, fd in (("stdout", 1), ("stderr", 2)):
        stream = getattr(sys, name)
        if stream is not _State.streams[name] or stream.closed:
            if _State.streams[name].closed:
                _State.streams[name] = _open_stream(fd)
            setattr(sys, name, _State.streams[name])


class _Direct(io.RawIOBase):
    """Unbuffered and whole, so that the output of children comes in its place."""

    def __init__(self, fd):
        super().__init__()
        self._fd = fd

    def writable(self):
        return True

    def fileno(self):
        return self._fd

    def write(self, data):
        size = len(data) if isinstance(data, (bytes, bytearray)) else memoryview(data).nbytes
        _write_all(self._fd, bytes(data))
        return size


def _open_stream(fd):
    return io.TextIOWrapper(_Direct(fd), encoding="utf-8", errors="backslashreplace", newline="\n", write_through=True)


def _run_cell(request):
    _State.count += 1
    _State.file = name = f"<cell {_State.count}>"
    _State.cell = request["id"]
    source = request["code"]
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    status, is_interrupted = "ok", False
    _State.running = True
    try:
        try:
            value = _execute(source, name)
            if value is not None:
                _State.user["_"] = value
                _emit_bundle(_bundle(value))
            _close_figures()
        except SystemExit as end:
            if end.code not in (None, 0):
                status = "error"
                _show(f"SystemExit: {end.code}\n")
        except KeyboardInterrupt:
            raise
        except BaseException as error:
            status = "error"
            _show(_traceback_text(error))
        _State.running = False
    except KeyboardInterrupt:
        _State.running = False
        status, is_interrupted = "error", True
        _show("KeyboardInterrupt: Execution interrupted\n")
    if os.getpid() != PID:  # os.fork() in a cell: the copy ends here
        sys.stdout.flush()
        os._exit(0)
    _mend_streams()
    signal.signal(signal.SIGINT, _on_interrupt)
    _send({"type": "done", "id": request["id"], "status": status, "executionCount": _State.count,
           "interrupted": is_interrupted})


def _on_interrupt(number, frame):
    if _State.running and os.getpid() == PID:
        raise KeyboardInterrupt


def _leave_pipes():
    """In a forked child: the kernel's pipes are the kernel's."""
    for fd in (_requests.fileno(), _answers):
        try:
            os.close(fd)
        except OSError:
            pass
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def _make_namespace():
    module = types.ModuleType("__main__")
    names = {"display": display, "env": env, "read": read, "write": write, "append": append, "sort": sort, "uniq": uniq,
             "counter": counter, "tree": tree, "diff": diff, "output": output, "tool": _Tools(), "ToolError": ToolError}
    module.__dict__.update(names)
    module.__dict__["__kedge__"] = types.SimpleNamespace(magic=_magic, shell=_shell, cell_magic=_cell_magic)
    module.__dict__["__builtins__"] = builtins
    _State.names = frozenset(names)
    _State.user = module.__dict__
    sys.modules["__main__"] = module


def _begin(init):
    _State.cwd = init["cwd"]
    sys.argv = [""]
    sys.path.insert(0, init["cwd"])
    _make_namespace()
    builtins.input = _no_input
    sys.stdout, sys.stderr = _open_stream(1), _open_stream(2)
    sys.__stdout__, sys.__stderr__ = sys.stdout, sys.stderr
    _State.streams = {"stdout": sys.stdout, "stderr": sys.stderr}
    signal.signal(signal.SIGINT, _on_interrupt)
    os.register_at_fork(after_in_child=_leave_pipes)
    _send({"type": "ready", "version": ".".join(map(str, sys.version_info[:3]))})


def _serve():
    while True:
        try:
            with _request_lock:
                line = _requests.readline()
            if not line:
                os._exit(0)
            request = json.loads(line)
            kind = request.get("type")
            if kind == "exit":
                break
            if kind == "init":
                _begin(request)
            elif kind == "run":
                _run_cell(request)
        except KeyboardInterrupt:
            continue
    os._exit(0)


_serve()
