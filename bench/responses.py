"""A server of OpenAI's Responses wire, for the one peer that speaks nothing else: N tool calls, then a text."""

import http.server
import json
import threading
import time

# Shell tools that the peer may offer, and the arguments that run `true`.
SHELL_TOOLS = {"exec_command": {"cmd": "true"}, "shell_command": {"command": "true"}, "shell": {"command": ["true"]}}


class ResponsesServer:
    def __init__(self):
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"
            disable_nagle_algorithm = True

            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                self.answer(owner.next_item(body))

            def do_GET(self):
                self.send_error(404)

            def answer(self, item):
                usage = {"input_tokens": 10, "input_tokens_details": None, "output_tokens": 5}
                usage |= {"output_tokens_details": None, "total_tokens": 15}
                events = [
                    {"type": "response.created", "response": {"id": "resp_1"}},
                    {"type": "response.output_item.done", "output_index": 0, "item": item},
                    {"type": "response.completed", "response": {"id": "resp_1", "usage": usage}},
                ]
                data = "".join(f"event: {event['type']}\ndata: {json.dumps(event)}\n\n" for event in events).encode()
                self.send_response(200)
                self.send_header("content-type", "text/event-stream")
                self.send_header("content-length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, format, *args):
                pass

        self.calls_left = 0
        self.arrivals = []
        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.server.daemon_threads = True
        threading.Thread(target=self.server.serve_forever, daemon=True).start()
        self.url = f"http://127.0.0.1:{self.server.server_address[1]}"

    def play(self, calls):
        self.calls_left, self.arrivals = calls, []

    def next_item(self, body):
        self.arrivals.append(time.time_ns() / 1e6)
        names = [tool.get("name") for tool in body.get("tools", [])]
        tool = next((name for name in SHELL_TOOLS if name in names), None)
        if self.calls_left > 0 and tool:
            self.calls_left -= 1
            number = len(self.arrivals)
            ids = {"id": f"fc_{number}", "call_id": f"call_{number}"}
            return {"type": "function_call"} | ids | {"name": tool, "arguments": json.dumps(SHELL_TOOLS[tool])}
        content = [{"type": "output_text", "text": "Hello.", "annotations": []}]
        return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}

    def close(self):
        self.server.shutdown()
        self.server.server_close()
