"""A model on Anthropic's wire that answers at once and keeps only the last request: for stress tests with thousands of them."""
import http.server
import itertools
import json
import threading

SHORT, LONG = "true", "seq 1 20000"


def events_of(number, message, command):
    usage = {"input_tokens": 10, "output_tokens": 5}
    start = {"id": f"msg_{number}", "type": "message", "role": "assistant", "model": message["model"], "content": [], "usage": usage}
    if command:
        block = {"type": "tool_use", "id": f"toolu_{number}", "name": "bash", "input": {}}
        delta = {"type": "input_json_delta", "partial_json": json.dumps({"command": command})}
    else:
        block, delta = {"type": "text", "text": ""}, {"type": "text_delta", "text": f"answer {number}"}
    yield {"type": "message_start", "message": start}
    yield {"type": "content_block_start", "index": 0, "content_block": block}
    yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "content_block_stop", "index": 0}
    yield {"type": "message_delta", "delta": {"stop_reason": "tool_use" if command else "end_turn"}, "usage": usage}
    yield {"type": "message_stop"}


def command_for(messages):
    """CALL in the prompt: a short command, once; BIG: one with much output."""
    content = messages[-1]["content"]
    if isinstance(content, list) and any(block["type"] == "tool_result" for block in content):
        return None
    text = content if isinstance(content, str) else " ".join(block.get("text", "")[:100] for block in content)
    return SHORT if "CALL" in text else LONG if "BIG" in text else None


class Model:
    """`last`: the body of the last request."""

    def __init__(self):
        self.last, self.numbers = None, itertools.count(1)
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                owner.last = json.loads(self.rfile.read(int(self.headers["content-length"])))
                events = events_of(next(owner.numbers), owner.last, command_for(owner.last["messages"]))
                data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format, *args):
                pass

            def handle(self):
                try:
                    super().handle()
                except OSError:
                    pass  # the client was killed

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def close(self):
        self.server.shutdown()
        self.server.server_close()
