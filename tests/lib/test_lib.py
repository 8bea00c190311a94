#!/usr/bin/env python3
"""libkedge: what it exports, a program with it, the examples built from an installation, and Python's ctypes.

Environment: LIB_PROBE, the program; LIBKEDGE, the library; KEDGE_BUILD, the build folder; SANITIZE, the sanitizers of the build.
"""
import ctypes
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
ROOT = pathlib.Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT / "tests/rpc"))
from client import COMMENT, RpcTest  # noqa: E402

PROBE, LIBRARY, BUILD = os.environ["LIB_PROBE"], os.environ["LIBKEDGE"], os.environ["KEDGE_BUILD"]
IS_SANITIZED = os.environ.get("SANITIZE", "none") != "none"
WEATHER = {"tool_calls": [{"name": "weather", "arguments": {"town": "Bergen"}}]}
OK = {"text": "ok", "repeat": True}
KEPT_VARIABLES = ("ASAN_OPTIONS", "UBSAN_OPTIONS", "LSAN_OPTIONS", "TSAN_OPTIONS", "G_SLICE")
STRICT = ["-pedantic", "-Wall", "-Wextra", "-Werror", "-Wno-missing-field-initializers"]


class LibTest(RpcTest):
    def whole_environment(self):
        self.add_gh()
        self.project = pathlib.Path(self.root, "w")
        self.project.mkdir(exist_ok=True)
        kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        return {"HOME": self.root, "PATH": f"{self.root}/bin:{os.environ['PATH']}", "LC_ALL": "C.UTF-8", "TMPDIR": self.root,
                **kept, **self.environment()}


class Probe(LibTest):
    def probe(self, scenario, *turns, **env):
        if turns:
            self.script(*turns)
        environment = {**self.whole_environment(), **env}
        done = subprocess.run([PROBE, scenario], env=environment, cwd=self.project, capture_output=True, text=True, timeout=240,
                              check=False)
        self.assertEqual((done.stdout, done.stderr, done.returncode), ("ok\n", "", 0))

    def test_one_prompt(self):
        self.probe("one_prompt", {"text": "Hello there"}, {"text": "again"})

    def test_failures_of_the_model(self):
        call = {"tool_calls": [{"name": "read", "arguments": {"path": "."}}]}
        self.probe("failures_of_the_model", {"status": 400, "error": {"type": "invalid_request_error", "message": "no such luck"}}, call)

    def test_a_session_goes_on(self):
        self.probe("a_session_goes_on", OK)

    def test_two_sessions_in_two_threads(self):
        self.probe("two_sessions_in_two_threads", OK)

    def test_abort_from_another_thread(self):
        self.probe("abort_from_another_thread", {"text": "slow and long", "chunk": 4, "stall_after": 4}, {"text": "alive"})

    def test_freed_in_the_middle(self):
        self.probe("freed_in_the_middle", {"text": "slow and long", "chunk": 4, "stall_after": 4, "repeat": True})

    def test_tools_and_calls_back(self):
        self.probe("tools_and_calls_back", WEATHER, {"text": "wet", "expect": {"last_tool_contains": "It rains in Bergen"}},
                   WEATHER, {"text": "sorry", "expect": {"last_tool_contains": "no weather \ufffd today"}},
                   WEATHER, {"text": "oh", "expect": {"last_tool_contains": "Host tool execution failed"}})

    def test_an_event_function_calls_back(self):
        self.probe("an_event_function_calls_back", OK)

    def test_a_tool_is_cancelled(self):
        self.probe("a_tool_is_cancelled", WEATHER)

    def test_bad_arguments(self):
        self.probe("bad_arguments")

    def test_bad_arguments_to_a_session(self):
        self.probe("bad_arguments_to_a_session")

    def test_questions(self):
        turns = [turn for text in "abc" for turn in ({"tool_calls": [COMMENT]}, {"text": text})]
        self.probe("questions", *turns)

    def test_opened_often(self):
        self.probe("opened_often", OK)

    def test_no_descriptors_left(self):
        self.probe("no_descriptors_left")

    def test_rpc_over_a_socket(self):
        self.probe("rpc_over_a_socket")

    def test_hold_secrets(self):
        show = "echo key $ANTHROPIC_API_KEY. $OPENAI_API_KEY.; cat secret"
        key = "test-key-of-the-environment"
        self.whole_environment()
        pathlib.Path(self.project, "secret").write_text(key + " sk-of-the-program-1234\n", encoding="utf-8")
        account = {"header": "x-api-key", "equals": "sk-of-the-account-5678"}
        self.probe("hold_secrets", {"tool_calls": [{"name": "bash", "arguments": {"command": show}}], "expect": account},
                   {"text": "done", "expect": {"last_tool_contains": "key . .\n[REDACTED] [REDACTED]"}}, ANTHROPIC_API_KEY=key)

    def test_a_good_guest(self):
        self.settings("steeringMode: [\n")
        self.probe("a_good_guest", OK)

    def test_models_to_choose_among(self):
        self.probe("models_to_choose_among")

    def test_protected(self):
        self.probe("protected", OK)


class Exports(unittest.TestCase):
    def test_the_functions_of_the_header_and_nothing_else(self):
        header = (ROOT / "src/lib/kedge.h").read_text(encoding="utf-8")
        declared = set(re.findall(r"\b(kedge_\w+)\(", re.sub(r"/\*.*?\*/", "", header, flags=re.S)))
        self.assertGreater(len(declared), 25)
        out = subprocess.run(["nm", "-D", "--defined-only", LIBRARY], capture_output=True, text=True, check=True).stdout
        exported = {line.split()[-1] for line in out.splitlines() if line.split()[1] != "A"}
        self.assertEqual(exported, {f"{name}@@KEDGE_0" for name in declared})
        self.assertTrue(os.path.realpath(LIBRARY).rsplit(".so.", 1)[1])

    def test_its_name_and_what_it_needs(self):
        out = subprocess.run(["readelf", "-d", LIBRARY], capture_output=True, text=True, check=True).stdout
        self.assertIn("[libkedge.so.0]", out)
        self.assertIn("NODELETE", out)
        self.assertNotRegex(out, r"libcurl|libpq|libmicrohttpd|libgd")

    def test_the_header_has_no_glib(self):
        header = (ROOT / "src/lib/kedge.h").read_text(encoding="utf-8")
        self.assertEqual(re.findall(r"#include (.*)", header), ["<stddef.h>"])


@unittest.skipIf(IS_SANITIZED, "programs without sanitizers cannot have a library with them")
class Installed(LibTest):
    TURNS = ({"when": {"last_tool_contains": "It rains in Bergen"}, "text": "Wet, as ever.", "repeat": True},
             {"when": {"last_user_contains": "weather"}, "repeat": True, **WEATHER},
             {"when": {"last_user_contains": "Hello"}, "text": "Hello yourself.", "repeat": True})

    @classmethod
    def setUpClass(cls):
        cls.place = tempfile.mkdtemp(prefix="kedge-lib-")
        cls.addClassCleanup(shutil.rmtree, cls.place, ignore_errors=True)
        cls.list = os.path.join(cls.place, "list")  # not that of a person's own installation
        cls.install(BUILD)
        found = sorted(pathlib.Path(cls.place).rglob("kedge.pc"))
        assert len(found) == 1, found
        cls.pkg_config = {"PATH": os.environ["PATH"], "PKG_CONFIG_PATH": str(found[0].parent), "PKG_CONFIG_SYSROOT_DIR": cls.place}
        cls.libraries = str(found[0].parent.parent)

    @classmethod
    def install(cls, *words):
        variables = {**os.environ, "DESTDIR": cls.place, "INSTALL_LIST": cls.list, "NO_REBUILD": "1"}
        subprocess.run([ROOT / "tools/install", *words], env=variables, check=True, capture_output=True, timeout=120)

    def test_what_is_installed_is_small_and_all_of_it_is_removed(self):
        place = tempfile.mkdtemp(prefix="kedge-lib-")
        self.addCleanup(shutil.rmtree, place, ignore_errors=True)

        class Other(Installed):
            pass

        Other.place, Other.list = place, os.path.join(place, "list")
        Other.install(BUILD)
        self.assertLess(next(pathlib.Path(place).rglob("bin/kedge")).stat().st_size, 8_000_000)
        Other.install("--debug", BUILD)
        self.assertEqual(len(list(pathlib.Path(place).rglob("*.debug"))), 2)
        subprocess.run(["meson", "install", "-C", BUILD, "--no-rebuild", "--quiet", "--destdir", os.path.join(place, "another")],
                       check=True, capture_output=True, timeout=120)
        shutil.rmtree(os.path.join(place, "another"))
        Other.install("--remove", BUILD)
        self.assertEqual([path for path in pathlib.Path(place).rglob("*") if not path.is_dir()], [])

    def flags(self, *what):
        return subprocess.run(["pkg-config", *what, "kedge"], env=self.pkg_config, capture_output=True, text=True, check=True,
                              timeout=20).stdout.split()

    def built(self, source, compiler, standard):
        if not shutil.which(compiler):
            self.skipTest(f"no {compiler}")
        program = os.path.join(self.root, "example")
        flags = self.flags("--cflags", "--libs")
        done = subprocess.run([compiler, f"-std={standard}", *STRICT, "-pthread", str(source), "-o", program, *flags],
                              capture_output=True, text=True, timeout=120, check=False)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return program

    def output(self, program):
        self.script(*self.TURNS)
        done = subprocess.run([program], env={**self.whole_environment(), "LD_LIBRARY_PATH": self.libraries}, cwd=self.project,
                              capture_output=True, text=True, timeout=60, check=False)
        self.assertEqual((done.stderr, done.returncode), ("", 0))
        return done.stdout

    def test_version(self):
        self.assertEqual(self.flags("--modversion"), ["0.1.0"])
        header = pathlib.Path(self.place).rglob("kedge.h")
        self.assertEqual(len(list(header)), 1)

    def test_examples_of_the_page(self):
        """What docs/embedding.md shows is in examples/, and prints what the page says."""
        page = (ROOT / "docs/embedding.md").read_text(encoding="utf-8")
        shown = re.findall(r"`examples/([\w.]+)`.*?```(?:c|cpp)\n(.*?)```\n\n```text\n(.*?)```", page, re.S)
        self.assertEqual(sorted(name for name, _, _ in shown), sorted(path.name for path in (ROOT / "examples").iterdir()))
        for name, text, expected in shown:
            with self.subTest(name):
                source = ROOT / "examples" / name
                self.assertIn(text.strip(), source.read_text(encoding="utf-8"))
                is_cpp = name.endswith(".cc")
                program = self.built(source, "c++" if is_cpp else "cc", "c++14" if is_cpp else "c11")
                self.assertEqual(self.output(program), expected)

    def test_c_examples_as_old_and_new_standards(self):
        header = os.path.join(self.root, "header.c")
        pathlib.Path(header).write_text("#include <kedge.h>\nint main(void) { return !kedge_version(); }\n", encoding="utf-8")
        for standard in ("c99", "c11", "c17"):
            self.built(header, "cc", standard)
        cpp = os.path.join(self.root, "header.cc")
        shutil.copy(header, cpp)
        for standard in ("c++11", "c++17"):
            self.built(cpp, "c++", standard)


class Options(ctypes.Structure):
    _fields_ = [("size", ctypes.c_size_t), *((name, ctypes.c_char_p) for name in ("cwd", "model", "api_key", "thinking", "session",
                                                                                  "session_dir")),
                ("no_session", ctypes.c_int), ("continues_recent", ctypes.c_int)]  # an older, shorter one


CTYPES = """import ctypes, os, sys
sys.path[:0] = [{folder!r}]
os.environ.setdefault("LIB_PROBE", "")
from test_lib import Options
library = ctypes.CDLL({library!r})
library.kedge_session_open.restype = ctypes.c_void_p
library.kedge_version.restype = ctypes.c_char_p
error = ctypes.c_void_p()
options = Options(size=ctypes.sizeof(Options), cwd=os.getcwd().encode(), no_session=1)
session = ctypes.c_void_p(library.kedge_session_open(ctypes.byref(options), ctypes.byref(error)))
assert session, error
events = []
told = ctypes.CFUNCTYPE(None, ctypes.c_char_p, ctypes.c_void_p)(lambda event, data: events.append(event))
assert library.kedge_session_subscribe(session, 1, told, None, None, None) == 0
text = ctypes.c_char_p()
assert library.kedge_session_run(session, b"Hello", ctypes.byref(text), None) == 0
print(library.kedge_version().decode(), text.value.decode(), any(b"agent_end" in event for event in events))
library.kedge_free(text)
assert library.kedge_session_free(session) == 0
"""


@unittest.skipIf(IS_SANITIZED, "programs without sanitizers cannot have a library with them")
class Python(LibTest):
    def test_ctypes(self):
        self.script({"text": "Hello yourself."})
        program = CTYPES.format(folder=str(pathlib.Path(__file__).parent), library=LIBRARY)
        environment = {**self.whole_environment(), "PYTHONDONTWRITEBYTECODE": "1", "LIBKEDGE": LIBRARY, "KEDGE_BUILD": BUILD}
        done = subprocess.run([sys.executable, "-c", program], env=environment, cwd=self.project, capture_output=True, text=True,
                              timeout=60, check=False)
        self.assertEqual((done.stdout, done.stderr), ("0.1.0 Hello yourself. True\n", ""))


if __name__ == "__main__":
    unittest.main()
