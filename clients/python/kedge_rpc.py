"""A client of `kedge --mode rpc`: a conversation with a model from a Python program. No dependencies; Python 3.9 or newer.

    from kedge_rpc import Kedge

    with Kedge(cwd="/src/project") as kedge:
        kedge.on_text(lambda piece: print(piece, end="", flush=True))
        kedge.run("What does this project do?")
        print(kedge.last_text())

Commands wait for their answer and raise KedgeError when it is a failure. Events, questions and calls of your own tools come
on a thread of the client, one after the other; handlers must not send commands that they wait for.
"""
from __future__ import annotations

import json
import os
import queue
import subprocess
import threading
from typing import Any, Callable, Dict, List, Mapping, Optional, Sequence, Union

__all__ = ["Kedge", "KedgeError"]

Json = Dict[str, Any]
EventHandler = Callable[[Json], None]
# of an `extension_ui_request`: True or False for a confirm, a text for the others, None for no answer
DialogHandler = Callable[[Json], Union[bool, str, None]]
ToolFunction = Callable[[Json], Union[str, Json]]

READY_TIMEOUT = 30.0
REPLY_TIMEOUT = 30.0
DIALOGS_WITH_A_REPLY = ("confirm", "select", "input", "editor")
AGENT_EVENTS = frozenset(("agent_start", "agent_end", "turn_start", "turn_end", "message_start", "message_update", "message_end",
                          "tool_execution_start", "tool_execution_update", "tool_execution_end"))


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
        self._lock = threading.Lock()  # guards the rest
        self._next_id = 1
        self._replies: Dict[str, "queue.Queue[Json]"] = {}
        self._handlers: List[EventHandler] = []
        self._dialog: Optional[DialogHandler] = None
        self._tools: Dict[str, ToolFunction] = {}
        self._is_over = False
        self._stderr: List[bytes] = []
        self._ready = threading.Event()
        self._threads = [threading.Thread(target=target, daemon=True) for target in (self._read, self._read_stderr)]
        for thread in self._threads:
            thread.start()
        if not self._ready.wait(READY_TIMEOUT) or self._is_over:
            self.stop()
            raise KedgeError(f"kedge did not become ready. Stderr: {self.stderr()}")

    def __enter__(self) -> "Kedge":
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> int:
        """Ends the program; what runs is stopped and the session written. The exit code."""
        if self._process.stdin and not self._process.stdin.closed:
            try:
                self._process.stdin.close()
            except OSError:
                pass
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if threading.current_thread() not in self._threads:
            for thread in self._threads:
                thread.join(5)
            for pipe in (self._process.stdout, self._process.stderr):
                if pipe:
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
        for line in self._process.stdout:
            self._take(json.loads(line))
        with self._lock:
            self._is_over = True
            waiting = list(self._replies.values())
        for reply in waiting:
            reply.put({"success": False, "error": f"kedge has ended. Stderr: {self.stderr()}"})
        self._ready.set()

    def _take(self, message: Json) -> None:
        kind = message.get("type")
        if kind == "ready":
            self._ready.set()
        elif kind == "response" and self._reply_of(message):
            self._reply_of(message).put(message)  # type: ignore[union-attr]
        elif kind == "extension_ui_request":
            self._answer_dialog(message)
        elif kind == "host_tool_call":
            threading.Thread(target=self._call_tool, args=(message,), daemon=True).start()
        with self._lock:
            handlers = list(self._handlers)
        for handler in handlers:
            handler(message)

    def _reply_of(self, message: Json) -> Optional["queue.Queue[Json]"]:
        with self._lock:
            return self._replies.get(message.get("id", ""))

    def _send(self, message: Json) -> None:
        data = json.dumps(message).encode() + b"\n"
        try:
            with self._lock:
                assert self._process.stdin
                self._process.stdin.write(data)
                self._process.stdin.flush()
        except (OSError, ValueError) as error:
            raise KedgeError(f"kedge takes no commands any more. Stderr: {self.stderr()}") from error

    def command(self, name: str, timeout: Optional[float] = REPLY_TIMEOUT, **fields: Any) -> Any:
        """Sends any command (docs/rpc.md) and returns the data of its answer. `timeout` None: it may take long."""
        reply: "queue.Queue[Json]" = queue.Queue()
        with self._lock:
            if self._is_over:
                raise KedgeError(f"kedge has ended. Stderr: {self.stderr()}")
            id_ = f"req_{self._next_id}"
            self._next_id += 1
            self._replies[id_] = reply
        try:
            self._send({"id": id_, "type": name, **{key: value for key, value in fields.items() if value is not None}})
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

    def _answer_dialog(self, request: Json) -> None:
        if request.get("method") not in DIALOGS_WITH_A_REPLY:
            return
        answer = self._dialog(request) if self._dialog else None
        reply: Json = {"type": "extension_ui_response", "id": request["id"]}
        if answer is None:
            reply["cancelled"] = True
        else:
            reply["confirmed" if isinstance(answer, bool) else "value"] = answer
        self._send(reply)

    def set_tools(self, tools: Sequence[Json], functions: Mapping[str, ToolFunction]) -> List[str]:
        """Offers tools of yours: `tools` as {"name", "description", "parameters"}, `functions` by name. A function gets the
        arguments and returns text, or {"content": [blocks]}; what it raises is the tool's error."""
        self._tools = dict(functions)
        return self.command("set_host_tools", tools=list(tools))["toolNames"]

    def _call_tool(self, call: Json) -> None:
        reply: Json = {"type": "host_tool_result", "id": call["id"], "isError": False}
        try:
            result = self._tools[call["toolName"]](call["arguments"])
            reply["result"] = {"content": [{"type": "text", "text": result}]} if isinstance(result, str) else result
        except Exception as error:  # whatever it is, the model is told  # noqa: BLE001
            reply["isError"] = True
            reply["result"] = {"content": [{"type": "text", "text": str(error) or type(error).__name__}]}
        try:
            self._send(reply)
        except KedgeError:
            pass  # the program has ended

    # --- the conversation

    def run(self, message: str, timeout: Optional[float] = None, **fields: Any) -> List[Json]:
        """Sends a prompt and waits for the end of the run. Its events; an answer that failed raises."""
        events: List[Json] = []
        done = threading.Event()
        problem: List[str] = []

        def take(event: Json) -> None:
            if event.get("type") == "response" and event.get("command") == "prompt" and not event["success"]:
                problem.append(event.get("error", "failed"))
                done.set()
            if event.get("type") in AGENT_EVENTS:
                events.append(event)
            if event.get("type") == "agent_end":
                done.set()
        remove = self.on_message(take)
        try:
            self.prompt(message, **fields)
            while not done.wait(0.5 if timeout is None else timeout):
                if timeout is not None:
                    raise KedgeError(f"the run has not ended within {timeout} s")
                if self._is_over:
                    raise KedgeError(f"kedge has ended. Stderr: {self.stderr()}")
        finally:
            remove()
        last = events[-1]["messages"][-1] if events and events[-1].get("messages") else {}
        if problem or last.get("stopReason") == "error":
            raise KedgeError(problem[0] if problem else last.get("errorMessage", "the request failed"))
        return events

    def prompt(self, message: str, images: Optional[Sequence[Json]] = None, streaming_behavior: Optional[str] = None) -> None:
        """Begins a run; agent_end tells of its end. While one is on: `streaming_behavior` "steer" or "followUp"."""
        self.command("prompt", message=message, images=images, streamingBehavior=streaming_behavior)

    def steer(self, message: str) -> None:
        self.command("steer", message=message)

    def follow_up(self, message: str) -> None:
        self.command("follow_up", message=message)

    def abort(self) -> None:
        """Stops the run, and returns when it has."""
        self.command("abort")

    def bash(self, command: str, exclude_from_context: bool = False) -> Json:
        """Runs a shell command of yours; the model sees it unless it is excluded."""
        return self.command("bash", timeout=None, command=command, excludeFromContext=exclude_from_context)

    def state(self) -> Json:
        return self.command("get_state")

    def messages(self) -> List[Json]:
        return self.command("get_messages")["messages"]

    def last_text(self) -> Optional[str]:
        return self.command("get_last_assistant_text")["text"]

    def stats(self) -> Json:
        return self.command("get_session_stats")

    def models(self) -> List[Json]:
        return self.command("get_available_models")["models"]

    def set_model(self, provider: str, model_id: str) -> Json:
        return self.command("set_model", provider=provider, modelId=model_id)

    def set_thinking_level(self, level: str) -> None:
        self.command("set_thinking_level", level=level)

    def new_session(self) -> None:
        self.command("new_session")

    def switch_session(self, path: str) -> None:
        self.command("switch_session", sessionPath=path)

    def compact(self, instructions: Optional[str] = None) -> Json:
        return self.command("compact", timeout=None, customInstructions=instructions)
