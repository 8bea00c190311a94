"""The last part of the Python kernel: runs one cell after the other."""


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


def _run_code(source, name):
    """How it ended; an interruption goes through."""
    try:
        value = _execute(source, name)
        if value is not None:
            _State.user["_"] = value
            _emit_bundle(_bundle(value))
        _close_figures()
    except KeyboardInterrupt:
        raise
    except SystemExit as end:
        if end.code not in (None, 0):
            _show(f"SystemExit: {end.code}\n")
            return "error"
    except BaseException as error:
        _show(_traceback_text(error))
        return "error"
    return "ok"


def _arm(cell):
    """From here on an interruption is of this cell: one that came too late for the cell before is forgotten."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    signal.signal(signal.SIGINT, _on_interrupt)
    _State.is_due = False
    _context_cell.set(cell)
    _State.cell = cell


def _run_cell(request):
    _State.count += 1
    _State.file = name = f"<cell {_State.count}>"
    source = request["code"]
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    status = "error"
    _arm(request["id"])
    try:
        _State.running = True
        _send({"type": "started"})  # it can be interrupted now
        status = _run_code(source, name)
        _State.running = False
    except KeyboardInterrupt:
        _State.running = False
        _show("KeyboardInterrupt: Execution interrupted\n")
    if os.getpid() != PID:  # os.fork() in a cell: the copy ends here
        sys.stdout.flush()
        os._exit(0)
    _mend_streams()
    signal.signal(signal.SIGINT, _on_interrupt)
    late = _close_cell()
    _send({"type": "done", "cell": request["id"], "status": status, "executionCount": _State.count, **late})


def _leave_pipes():
    """In a forked child: the kernel's pipes are the kernel's."""
    for fd in (_requests, _answers):
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


def _next_job():
    return _jobs.popleft() if _jobs else None


def _serve():
    while True:
        try:
            request = _receive(_next_job)
            if request.get("type") == "init":
                _begin(request)
            elif request.get("type") == "run":
                _run_cell(request)
        except KeyboardInterrupt:
            continue


_serve()
