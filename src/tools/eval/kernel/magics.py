"""The fourth part of the Python kernel: lines that begin with % or !, and cells that begin with %%, as Python."""


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
