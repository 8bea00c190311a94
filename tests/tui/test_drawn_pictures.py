#!/usr/bin/env python3
"""Images in the drawn conversation: shown where the terminal can, and taken from the clipboard.

Environment: KEDGE, the binary.
"""
import base64
import ctypes.util
import json
import os
import pathlib
import struct
import sys
import unittest
import zlib

sys.dont_write_bytecode = not sys.pycache_prefix  # tests leave nothing behind
sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "rpc"))
from client import RpcTest  # noqa: E402
from terminal import Terminal  # noqa: E402

READY = "ctx "
PICTURE = b"\x1b_G"


def png(width, height):
    def chunk(name, data):
        return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))

    rows = (b"\0" + b"\x30\x60\x90" * width) * height
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")


class Pictures(RpcTest):
    def open(self, *args, env=None, **options):
        environment = {**self.environment(), "PATH": f"{self.root}/bin:{os.environ['PATH']}", "TERM": "xterm-kitty", **(env or {})}
        terminal = Terminal(self.root, args, environment, **options)
        self.addCleanup(terminal.close)
        terminal.wait_for(READY)
        return terminal

    def enter(self, terminal, text):
        """Letter by letter, so that it is no paste."""
        for letter in text:
            terminal.type(letter)
        terminal.type("\r")

    def add_xclip(self, body):
        os.makedirs(os.path.join(self.root, "bin"), exist_ok=True)
        path = pathlib.Path(self.root, "bin/xclip")
        path.write_text(f"#!/bin/sh\ncd '{self.root}' || exit 9\n{body}\n", encoding="utf-8")
        path.chmod(0o755)

    def sent(self):
        return self.model.ask("journal")[-1]["body"]["messages"][-1]["content"]

    def test_a_tool_reads_an_image(self):
        for env, is_drawn in (({}, True), ({"TERM": "xterm"}, False), ({"TMUX": "/tmp/none,1,0"}, False), ({"KEDGE_FORCE_IMAGE_PROTOCOL": "none"}, False)):
            with self.subTest(env=env):
                self.script({"tool_calls": [{"name": "read", "arguments": {"path": "a.png"}}]}, {"text": "It is blue."})
                os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
                pathlib.Path(self.root, "w/a.png").write_bytes(png(40, 40))
                terminal = self.open(env=env)
                self.enter(terminal, "look at it")
                terminal.wait_for("[image png 40x40]")
                terminal.wait_for("It is blue.")
                terminal.type("\x04")
                terminal.wait_for("Resume with")
                self.assertEqual(terminal.end(), 0)
                self.assertEqual(terminal.shown.count(PICTURE), int(is_drawn))
                if is_drawn:
                    sequence = terminal.shown.split(PICTURE)[1].split(b"\x1b\\")[0]
                    head, data = sequence.split(b";")
                    self.assertIn(b"r=2", head)
                    self.assertEqual(base64.b64decode(data), png(40, 40))

    @unittest.skipUnless(ctypes.util.find_library("sixel") and ctypes.util.find_library("gd"), "libsixel or libgd is not installed")
    def test_sixel(self):
        """In pixels: only where the terminal says how large its cells are, and that it draws them."""
        cases = (("xterm", (10, 20), b"\x1b[?62;4;22c", b'"1;1;36;36'), ("xterm", (10, 20), b"\x1b[?62;22c", None),
                 ("xterm", (0, 0), b"\x1b[?62;4;22c", None), ("foot", (8, 16), b"", b'"1;1;40;40'))
        for term, cell, answer, raster in cases:
            with self.subTest(term=term, cell=cell, answer=answer):
                self.script({"tool_calls": [{"name": "read", "arguments": {"path": "a.png"}}]}, {"text": "It is blue."})
                os.makedirs(os.path.join(self.root, "w"), exist_ok=True)
                pathlib.Path(self.root, "w/a.png").write_bytes(png(40, 40))
                terminal = self.open(env={"TERM": term}, size=(80, 24), cell=cell)
                terminal.type(answer.decode())
                self.enter(terminal, "look at it")
                terminal.wait_for("[image png 40x40]")
                terminal.wait_for("It is blue.")
                terminal.type("\x04")
                terminal.wait_for("Resume with")
                self.assertEqual(terminal.end(), 0)
                self.assertEqual(terminal.shown.replace(b"\x1bP$qm", b"").count(b"\x1bP"), 0 if raster is None else 1)
                if raster:
                    sequence = terminal.shown.split(b"\x1bP")[-1].split(b"\x1b\\")[0]
                    self.assertIn(raster, sequence)

    def test_the_clipboard(self):
        self.script({"text": "I see it."}, {"text": "Words alone."})
        self.add_xclip('case "$*" in *TARGETS*) printf "TARGETS\\nimage/png\\nimage/bmp\\n" ;; *image/png*) cat clip.png ;; *) exit 1 ;; esac')
        pathlib.Path(self.root, "clip.png").write_bytes(png(60, 20))
        terminal = self.open(env={"DISPLAY": ":99", "TERM": "xterm"})
        terminal.type("\x16")
        terminal.wait_for("[Image #1]")
        self.enter(terminal, " what is it?")
        terminal.wait_for("I see it.")
        blocks = self.sent()
        images = [block for block in blocks if block["type"] == "image"]
        self.assertEqual(len(images), 1)
        self.assertEqual(base64.b64decode(images[0]["source"]["data"]), png(60, 20))
        self.assertIn("[Image #1] what is it?", json.dumps(blocks))
        self.assertIn(b"[image png 60x20]", terminal.shown)
        self.enter(terminal, "and [Image #7]?")  # there is none
        terminal.wait_for("Words alone.")
        self.assertNotIn('"image"', json.dumps(self.sent()))

    def paste(self, terminal, text):
        terminal.type(f"\x1b[200~{text}\x1b[201~")

    def test_a_path_is_pasted(self):
        self.script({"text": "I see it."})
        terminal = self.open(env={"TERM": "xterm"})
        folder = pathlib.Path(self.root, "a b")
        folder.mkdir()
        (folder / "c.PNG").write_bytes(png(60, 20))
        (folder / "d.png").write_bytes(png(60, 20)[:40])
        (folder / "e.txt").write_bytes(png(60, 20))
        os.mkfifo(folder / "f.png")
        (folder / "g.png").write_bytes(png(20, 60))
        for name in ("d.png", "e.txt", "f.png", "none.png", "c.PNG\nand more"):
            self.paste(terminal, f"'{folder}/{name}' ")
            terminal.wait_for(name.split("\n")[-1])  # pastes that come in one read are one
        self.paste(terminal, f"{folder}/c.PNG".replace(" ", "\\ "))
        terminal.wait_for("[Image #1]")
        self.paste(terminal, f" '{folder}/g.png' '{folder}/c.PNG' ")  # dropped together
        terminal.wait_for("[Image #3]")
        terminal.type("\x7f\r")
        terminal.wait_for("I see it.")
        images = [block for block in self.sent() if block["type"] == "image"]
        self.assertEqual([base64.b64decode(image["source"]["data"]) for image in images], [png(60, 20), png(20, 60)])
        self.assertNotIn(b"[Image #4]", terminal.shown)

    def test_no_image(self):
        self.script({"text": "Hm."})
        cases = (
            ("printf 'TARGETS\\nUTF8_STRING\\n'", {}, "there is no image in the clipboard"),
            ('case "$*" in *TARGETS*) echo image/png ;; *) echo no picture ;; esac', {}, "is no whole PNG, JPEG, GIF or WebP image"),
            ('case "$*" in *TARGETS*) echo image/png ;; *) head -c 50 clip.png ;; esac', {}, "is no whole PNG, JPEG, GIF or WebP image"),
            ("exit 0", {"SSH_CONNECTION": "a 1 b 2"}, "over ssh the clipboard of your machine cannot be read"),
            ("exit 0", {"DISPLAY": ""}, "nothing is here to read the clipboard"),
        )
        pathlib.Path(self.root, "clip.png").write_bytes(png(60, 20))
        for body, env, want in cases:
            with self.subTest(want):
                self.add_xclip(body)
                terminal = self.open(env={"DISPLAY": ":99", "TERM": "xterm", **env})
                terminal.type("\x16")
                terminal.wait_for(want)
                self.assertNotIn(b"[Image #", terminal.shown)

    def test_images_are_blocked(self):
        self.script({"text": "Hm."})
        self.settings("images:\n  blockImages: true\n")
        terminal = self.open()
        terminal.type("\x16")
        terminal.wait_for("no image is sent: images.blockImages is set")


if __name__ == "__main__":
    unittest.main()
