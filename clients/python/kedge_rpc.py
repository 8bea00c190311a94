"""A client of `kedge --mode rpc`: a conversation with a model from a Python program. No dependencies; Python 3.9 or newer.

    from kedge_rpc import Kedge

    with Kedge(cwd="/src/project") as kedge:
        kedge.on_text(lambda piece: print(piece, end="", flush=True))
        kedge.run("What does this project do?")
        print(kedge.last_text())

Commands wait for their answer and raise KedgeError when it is a failure. Events come on a thread of the client, one after the
other: their handlers must not send commands that they wait for. Questions come on another thread, one after the other, and each
call of a tool of yours on one of its own. What a handler raises is printed on standard error and changes nothing else.
"""
from __future__ import annotations

import json
import os
import queue
import select
import subprocess
import threading
import time
import traceback
from typing import Any, Callable, Dict, List, Literal, Mapping, Optional, Sequence, Union

__all__ = ["Kedge", "KedgeError"]

Json = Dict[str, Any]
EventHandler = Callable[[Json], None]
# of an `extension_ui_request`: True or False for a confirm, a text for the others, None for no answer
DialogHandler = Callable[[Json], Union[bool, str, None]]
ToolFunction = Callable[[Json], Union[str, Json]]
ThinkingLevel = Literal["off", "minimal", "low", "medium", "high", "xhigh"]
QueueMode = Literal["all", "one-at-a-time"]

READY_TIMEOUT = 30.0
REPLY_TIMEOUT = 30.0
STOP_TIMEOUT = 5.0  # until a program that does not end is killed
JOIN_TIMEOUT = 1.0  # for its last words; a program that it left behind may hold the pipes
WRITE_SLICE_MS = 100  # how late a write that waits notices the end
DIALOGS_WITH_A_REPLY = ("confirm", "select", "input", "editor")
AGENT_EVENTS = frozenset(("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
                          "tool_execution_start", "tool_execution_update", "tool_execution_end"))


def _encode(message: Json) -> bytes:
    """The message as a line. ValueError, TypeError: it is no JSON."""
    return json.dumps(message, allow_nan=False, ensure_ascii=False).encode() + b"\n"


def _text_result(text: str) -> Json:
    return {"content": [{"type": "text", "text": text.encode(errors="replace").decode()}]}


class KedgeError(Exception):
    """A command failed, the program did not start, or it has ended."""


class Kedge:
    """One process, one conversation."""

    def __init__(self, *, cwd: Optional[str] = None, program: str = "kedge", model: Optional[str] = None,
                 provider: Optional[str] = None, args: Sequence[str] = (), env: Optional[Mapping[str, str]] = None) -> None:
        command = [program, "--mode", "rpc"]
        command += ["--provider", provider] if provider else []
        command += ["--model", model] if model else []
        self._process = subprocess.Popen([*command, *args], cwd=cwd, env={**os.environ, **(env or {})}, stdin=subprocess.PIPE,
                                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self._write_lock = threading.Lock()  # of the program's input; never taken by the reader, so that a write cannot stop it
        self._questions: "queue.Queue[Optional[Json]]" = queue.Queue()  # None at the end
        self._lock = threading.Lock()  # guards the rest
        self._next_id = 1
        self._replies: Dict[str, "queue.Queue[Json]"] = {}
        self._handlers: List[EventHandler] = []
        self._dialog: Optional[DialogHandler] = None
        self._tools: Dict[str, ToolFunction] = {}
        self._is_over = False
        self._is_stopping = False
        self._stderr: List[bytes] = []
        self._ready = threading.Event()
        assert self._process.stdin
        os.set_blocking(self._process.stdin.fileno(), False)
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_stderr)]
        for thread in (*self._threads, threading.Thread(target=self._answer_dialogs, daemon=True)):
            thread.start()
        if not self._ready.wait(READY_TIMEOUT) or self._is_over:
            self.stop()
            raise KedgeError(f"kedge did not become ready. Stderr: {self.stderr()}")

    def __enter__(self) -> "Kedge":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Ends the program; what runs is stopped and the session written. The exit code. Takes seconds at most, whatever the
        program does: one that does not end is killed."""
        self._is_stopping = True
        assert self._process.stdin
        with self._write_lock:  # a write that waits gives up
            self._process.stdin.close()
        try:
            self._process.wait(STOP_TIMEOUT)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        for thread, pipe in zip(self._threads, (self._process.stdout, self._process.stderr)):
            if thread is threading.current_thread():
                continue
            thread.join(JOIN_TIMEOUT)
            if pipe and not thread.is_alive():
                pipe.close()
        return self._process.returncode

    def stderr(self) -> str:
        """What the program has said on standard error."""
        return b"".join(self._stderr).decode(errors="replace")

    # --- the line to the program

    def _read_stderr(self) -> None:
        assert self._process.stderr
        for line in self._process.stderr:
            self._stderr.append(line)

    def _read(self) -> None:
        assert self._process.stdout
        try:
            for line in self._process.stdout:
                self._take_line(line)
        finally:
            with self._lock:
                self._is_over = True
                waiting = list(self._replies.values())
            for reply in waiting:
                reply.put({"success": False, "error": f"kedge has ended. Stderr: {self.stderr()}"})
            self._questions.put(None)
            self._ready.set()

    def _take_line(self, line: bytes) -> None:
        try:
            message = json.loads(line)
        except ValueError:
            return  # the program was killed in the middle of it
        if isinstance(message, dict):
            self._take(message)

    def _take(self, message: Json) -> None:
        kind = message.get("type")
        if kind == "ready":
            self._ready.set()
        elif kind == "response":
            self._take_response(message)
        elif kind == "extension_ui_request" and message.get("method") in DIALOGS_WITH_A_REPLY:
            self._questions.put(message)
        elif kind == "host_tool_call":
            threading.Thread(target=self._call_tool, args=(message,), daemon=True).start()
        with self._lock:
            handlers = list(self._handlers)
        for handler in handlers:
            try:
                handler(message)
            except Exception:  # the others are told, and what comes next is read  # noqa: BLE001
                traceback.print_exc()

    def _take_response(self, message: Json) -> None:
        with self._lock:
            reply = self._replies.get(str(message.get("id")))
        if reply:
            reply.put(message)

    def _send(self, data: bytes) -> None:
        assert self._process.stdin
        left = memoryview(data)
        poll = select.poll()  # select() takes no descriptor above 1,023
        try:
            with self._write_lock:
                while left and not self._is_stopping:  # the input is closed only after that is set, under the lock
                    fd = self._process.stdin.fileno()
                    poll.register(fd, select.POLLOUT)
                    if poll.poll(WRITE_SLICE_MS):
                        left = left[self._write(fd, left):]
        except BrokenPipeError as error:
            raise KedgeError(f"kedge takes no commands any more. Stderr: {self.stderr()}") from error
        except OSError as error:
            raise KedgeError(f"could not write to kedge: {error}. Stderr: {self.stderr()}") from error
        if left:
            raise KedgeError("kedge was stopped")

    @staticmethod
    def _write(fd: int, data: memoryview) -> int:
        try:
            return os.write(fd, data)
        except BlockingIOError:
            return 0

    def command(self, name: str, /, timeout: Optional[float] = REPLY_TIMEOUT, **fields: Any) -> Any:
        """Sends any command (docs/rpc.md) and returns the data of its answer. `timeout` None: it may take long."""
        return self._command(self._new_id(), name, timeout, fields)

    def _new_id(self) -> str:
        with self._lock:
            self._next_id += 1
            return f"req_{self._next_id - 1}"

    def _command(self, id_: str, name: str, timeout: Optional[float], fields: Json) -> Any:
        data = _encode({"id": id_, "type": name, **{key: value for key, value in fields.items() if value is not None}})
        reply: "queue.Queue[Json]" = queue.Queue()
        with self._lock:
            if self._is_over:
                raise KedgeError(f"kedge has ended. Stderr: {self.stderr()}")
            self._replies[id_] = reply
        try:
            self._send(data)
            response = reply.get(timeout=timeout)
        except queue.Empty:
            raise KedgeError(f"Timeout waiting for response to {name}. Stderr: {self.stderr()}") from None
        finally:
            with self._lock:
                del self._replies[id_]
        if not response["success"]:
            raise KedgeError(response.get("error", "failed"))
        return response.get("data")

    # --- what comes unasked

    def on_message(self, handler: EventHandler) -> Callable[[], None]:
        """Everything that the program says. The result takes the handler away again."""
        with self._lock:
            self._handlers.append(handler)

        def remove() -> None:
            with self._lock:
                self._handlers.remove(handler)
        return remove

    def on_event(self, handler: EventHandler) -> Callable[[], None]:
        """The events of the agent alone."""
        return self.on_message(lambda message: handler(message) if message.get("type") in AGENT_EVENTS else None)

    def on_text(self, handler: Callable[[str], None]) -> Callable[[], None]:
        """The answer's text, piece by piece."""
        def take(message: Json) -> None:
            part = message.get("assistantMessageEvent") or {}
            if part.get("type") == "text_delta":
                handler(part["delta"])
        return self.on_event(take)

    def on_dialog(self, handler: DialogHandler) -> None:
        """Who answers questions, such as whether a call may be made. Without one the answer is no."""
        self._dialog = handler

    def _answer_dialogs(self) -> None:
        while (request := self._questions.get()) is not None:
            try:
                self._send(self._dialog_reply(request))
            except KedgeError:
                pass  # the program has ended

    def _dialog_reply(self, request: Json) -> bytes:
        reply: Json = {"type": "extension_ui_response", "id": request["id"]}
        try:
            answer = self._dialog(request) if self._dialog else None
            if answer is not None:
                return _encode({**reply, "confirmed" if isinstance(answer, bool) else "value": answer})
        except Exception:  # no answer is a no  # noqa: BLE001
            traceback.print_exc()
        return _encode({**reply, "cancelled": True})

    def set_tools(self, tools: Sequence[Json], functions: Mapping[str, ToolFunction]) -> List[str]:
        """Offers tools of yours: `tools` as {"name", "description", "parameters"}, `functions` by name. A function gets the
        arguments and returns text, or {"content": [blocks]}; what it raises is the tool's error."""
        self._tools = dict(functions)
        return self.command("set_host_tools", tools=list(tools))["toolNames"]

    def _call_tool(self, call: Json) -> None:
        reply: Json = {"type": "host_tool_result", "id": call["id"], "isError": False}
        try:
            result = self._tools[call["toolName"]](call["arguments"])
            reply["result"] = _text_result(result) if isinstance(result, str) else result
            data = _encode(reply)
        except Exception as error:  # whatever it is, the model is told  # noqa: BLE001
            data = _encode({**reply, "isError": True, "result": _text_result(str(error) or type(error).__name__)})
        try:
            self._send(data)
        except KedgeError:
            pass  # the program has ended

    # --- the conversation

    def run(self, message: str, timeout: Optional[float] = None, **fields: Any) -> List[Json]:
        """Sends a prompt and waits until all of its work is done, other attempts and reminders too. Its events, the last of
        them an agent_end; an answer that failed raises."""
        id_ = self._new_id()
        events: List[Json] = []
        done: "queue.Queue[Json]" = queue.Queue()
        taken = threading.Event()

        def take(event: Json) -> None:
            kind, is_own = event.get("type"), event.get("id") == id_
            if kind in AGENT_EVENTS:
                events.append(event)
            elif kind == "response" and is_own:
                taken.set()
            elif kind == "prompt_result" and (is_own or (taken.is_set() and "streaming_behavior" in fields)):
                done.put(event)  # one that joined a run ends with it
        remove = self.on_message(take)
        try:
            self._command(id_, "prompt", REPLY_TIMEOUT, self._prompt_fields(message, **fields))
            result = self._wait_for_result(done, timeout)
        finally:
            remove()
        if result.get("status") == "error":
            raise KedgeError((result.get("error") or {}).get("message", "the request failed"))
        return events

    def _wait_for_result(self, done: "queue.Queue[Json]", timeout: Optional[float]) -> Json:
        until = None if timeout is None else time.monotonic() + timeout
        while until is None or time.monotonic() < until:
            is_over = self._is_over  # before the look: all that the program said is in the queue then
            try:
                return done.get(timeout=0.5 if until is None else max(min(0.5, until - time.monotonic()), 0))
            except queue.Empty:
                if is_over:
                    raise KedgeError(f"kedge has ended. Stderr: {self.stderr()}") from None
        raise KedgeError(f"the run has not ended within {timeout} s")

    @staticmethod
    def _prompt_fields(message: str, images: Optional[Sequence[Json]] = None, streaming_behavior: Optional[str] = None) -> Json:
        return {"message": message, "images": images, "streamingBehavior": streaming_behavior}

    def prompt(self, message: str, images: Optional[Sequence[Json]] = None, streaming_behavior: Optional[str] = None) -> None:
        """Begins a run; agent_end tells of its end, prompt_result that nothing of it goes on. While one is on: `streaming_behavior` "steer" or "followUp"."""
        self.command("prompt", **self._prompt_fields(message, images, streaming_behavior))

    def steer(self, message: str, images: Optional[Sequence[Json]] = None) -> None:
        """Says something to the run that is on."""
        self.command("steer", message=message, images=images)

    def follow_up(self, message: str, images: Optional[Sequence[Json]] = None) -> None:
        """A message for when the run has ended."""
        self.command("follow_up", message=message, images=images)

    def continue_run(self) -> None:
        """Begins a run without a message; an answer that failed or was stopped is asked for again."""
        self.command("continue")

    def abort(self) -> None:
        """Stops the run, and returns when it has."""
        self.command("abort")

    def abort_and_prompt(self, message: str, images: Optional[Sequence[Json]] = None) -> None:
        """Stops the run, then sends a message."""
        self.command("abort_and_prompt", message=message, images=images)

    def answer(self, question_id: str, approved: bool) -> None:
        """Answers a question of `state()["questions"]`; on_dialog() does that for those that come."""
        self.command("answer", questionId=question_id, approved=approved)

    def bash(self, command: str, exclude_from_context: bool = False) -> Json:
        """Runs a shell command of yours; the model sees it unless it is excluded."""
        return self.command("bash", timeout=None, command=command, excludeFromContext=exclude_from_context)

    def abort_bash(self) -> None:
        self.command("abort_bash")

    def compact(self, instructions: Optional[str] = None) -> Json:
        """Puts a summary in place of what is old."""
        return self.command("compact", timeout=None, customInstructions=instructions)

    def handoff(self, instructions: Optional[str] = None) -> Optional[Json]:
        """Goes on in a new session that begins with a summary of this one."""
        return self.command("handoff", timeout=None, customInstructions=instructions)

    # --- what it says of itself

    def state(self) -> Json:
        return self.command("get_state")

    def messages(self) -> List[Json]:
        return self.command("get_messages")["messages"]

    def last_text(self) -> Optional[str]:
        return self.command("get_last_assistant_text")["text"]

    def stats(self) -> Json:
        return self.command("get_session_stats")

    def commands(self) -> List[Json]:
        """The slash commands that there are."""
        return self.command("get_commands")["commands"]

    def export_html(self, path: Optional[str] = None) -> str:
        """Writes the session as one HTML page; where it is."""
        return self.command("export_html", outputPath=path)["path"]

    # --- models, and how it goes on

    def models(self) -> List[Json]:
        return self.command("get_available_models")["models"]

    def set_model(self, provider: str, model_id: str) -> Json:
        return self.command("set_model", provider=provider, modelId=model_id)

    def cycle_model(self) -> Optional[Json]:
        """The next model that there is a key for; None: there is no other."""
        return self.command("cycle_model")

    def set_thinking_level(self, level: ThinkingLevel) -> None:
        self.command("set_thinking_level", level=level)

    def cycle_thinking_level(self) -> Optional[str]:
        """The next level of the model; None: there is no other."""
        found = self.command("cycle_thinking_level")
        return found["level"] if found else None

    def choose_tools(self, names: Sequence[str]) -> None:
        """Which of kedge's tools the model is offered; tools of yours: set_tools()."""
        self.command("set_tools", names=list(names))

    def set_steering_mode(self, mode: QueueMode) -> None:
        self.command("set_steering_mode", mode=mode)

    def set_follow_up_mode(self, mode: QueueMode) -> None:
        self.command("set_follow_up_mode", mode=mode)

    def set_interrupt_mode(self, mode: Literal["immediate", "wait"]) -> None:
        self.command("set_interrupt_mode", mode=mode)

    def set_plan_mode(self, enabled: bool, prompt: Optional[str] = None) -> str:
        """On: the model only reads and plans, until a person approves; `prompt` is sent at once. Off: paused. The mode: "plan", "plan_paused", "none"."""
        return self.command("set_plan_mode", enabled=enabled, prompt=prompt)["mode"]

    def set_fast_mode(self, enabled: bool) -> Dict[str, Any]:
        """Saves the setting serviceTier: `priority` costs more. {"enabled","active"}"""
        return self.command("set_fast_mode", enabled=enabled)

    def set_auto_retry(self, enabled: bool) -> None:
        self.command("set_auto_retry", enabled=enabled)

    def abort_retry(self) -> None:
        self.command("abort_retry")

    def set_auto_compaction(self, enabled: bool) -> None:
        self.command("set_auto_compaction", enabled=enabled)

    def set_event_detail(self, full_updates: bool) -> None:
        """Whether each message_update carries the message so far."""
        self.command("set_event_detail", fullUpdates=full_updates)

    def set_todos(self, phases: Sequence[Json]) -> List[Json]:
        """The todo list as it is then."""
        return self.command("set_todos", phases=list(phases))["todoPhases"]

    def login_providers(self) -> List[Json]:
        """{"id","authenticated","source"} of each provider of models."""
        return self.command("get_login_providers")["providers"]

    def login(self, provider: str, api_key: Optional[str] = None) -> None:
        """Stores a key. Without one the handler of on_dialog() is asked for it."""
        self.command("login", timeout=None, providerId=provider, apiKey=api_key)

    # --- sessions

    def new_session(self, parent: Optional[str] = None) -> None:
        self.command("new_session", parentSession=parent)

    def switch_session(self, path: str) -> None:
        self.command("switch_session", sessionPath=path)

    def set_session_name(self, name: str) -> None:
        self.command("set_session_name", name=name)

    def tree(self) -> Json:
        """All entries, the leaf and the labels: {"leafId","entries","labels"}."""
        return self.command("get_tree")

    def branch_messages(self) -> List[Json]:
        """{"entryId","text"} of the messages that can be branched from."""
        return self.command("get_branch_messages")["messages"]

    def branch(self, entry_id: str) -> str:
        """Goes on from before a message, in a new session; the message's text."""
        return self.command("branch", entryId=entry_id)["text"]

    def fork(self) -> None:
        """Goes on in a copy of the session."""
        self.command("fork")

    def navigate(self, entry_id: str, summarize: Optional[bool] = None, instructions: Optional[str] = None) -> Optional[str]:
        """Goes on from another entry of the session; the text of a message that is to be written anew."""
        return self.command("navigate_tree", timeout=None, targetId=entry_id, summarize=summarize,
                            customInstructions=instructions).get("editorText")

    def set_label(self, entry_id: str, label: Optional[str]) -> None:
        """Marks an entry; None: it is not marked any more."""
        self.command("set_label", targetId=entry_id, label=label)
