"""A private home with a project, and `kedge arcade` in it."""
import json
import os
import pathlib
import shutil
import signal
import subprocess
import tempfile

from webdriver import Failure

WAIT = 60


class Arcade:
    """The server on a port that the kernel chooses; what agents do is done with the real commands."""

    def __init__(self, kedge):
        self.kedge = os.path.abspath(kedge)
        self.root = pathlib.Path(os.path.realpath(tempfile.mkdtemp(prefix="kedge-arcade-")))
        self.project = self.root / "project"
        (self.project / ".rp1").mkdir(parents=True)
        self.env = {"HOME": str(self.root), "PATH": os.environ["PATH"], "LC_ALL": "C.UTF-8",
                    **{name: value for name, value in os.environ.items() if name.endswith("SAN_OPTIONS")}}
        self.process = None
        self.port = 0

    # ---- the server -----------------------------------------------------------

    def start(self):
        """On the port that it had before, if there was one."""
        self.process = subprocess.Popen([self.kedge, "arcade", "--port", str(self.port), "--no-open"], cwd=self.project, env=self.env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        said = self.process.stdout.readline()
        self.address = self.process.stdout.readline().strip()
        if not self.address.startswith("http://127.0.0.1:"):
            raise Failure(f"kedge arcade says {said!r} {self.address!r}")
        self.base, self.token = self.address.split("/#t=")
        self.port = int(self.base.rsplit(":", 1)[1])

    def kill(self):
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        self.process.stdout.close()
        self.process = None

    def end(self):
        if self.process:
            self.process.terminate()
            self.process.wait(WAIT)
            self.process.stdout.close()
        shutil.rmtree(self.root, ignore_errors=True)

    def page(self, path=""):
        """An address that lets a fresh tab in."""
        return f"{self.base}{path or '/'}#t={self.token}"

    # ---- the agent ------------------------------------------------------------

    def tool(self, *words, fields=None):
        """`data` of an agent-tools operation; `fields` are its input as JSON."""
        done = subprocess.run([self.kedge, "agent-tools", *words, *(["--json"] if fields else [])], cwd=self.project, env=self.env,
                              input=json.dumps(fields or {}).encode(), capture_output=True, timeout=WAIT, check=False)
        envelope = json.loads(done.stdout or b"{}")
        if not envelope.get("success"):
            raise Failure(f"{words} {fields}: {envelope.get('errors')} {done.stderr.decode()}")
        return envelope["data"]

    def emit(self, run, kind, step=None, workflow="build", name=None, **data):
        fields = {"type": kind, "runId": run, "workflow": workflow, "data": data}
        return self.tool("emit", fields=fields | ({"step": step} if step else {}) | ({"name": name} if name else {}))

    def status(self, run, step, status, **more):
        return self.emit(run, "status_change", step, status=status, **more)

    def write(self, path, content):
        file = self.project / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content if isinstance(content, bytes) else content.encode())
        return file

    def artifact(self, run, path, content=None, **data):
        """Its docId."""
        if content is not None:
            self.write(path, content)
        return self.emit(run, "artifact_registered", path=path, feature="auth", storageRoot="project", **data)["docId"]

    def read(self, run, status="open"):
        return self.tool("feedback", "read", fields={"runId": run, "status": status})

    def reply(self, run, annotation, content):
        return self.tool("feedback", "reply", fields={"runId": run, "annotationId": annotation, "content": content})
