#!/usr/bin/env python3
"""Many events and several workers, small: each run is done once. The full size is in bench/workflow.py.

Environment: KEDGE, the binary.
"""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = not sys.pycache_prefix
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from load import Load  # noqa: E402


class ManyEvents(unittest.TestCase):
    def test_each_run_is_done_once(self):
        with tempfile.TemporaryDirectory(prefix="kedge-load-") as folder:
            figures = Load(os.path.abspath(os.environ["KEDGE"]), folder, events=24, workers=3, jobs=2).run()
        self.assertEqual((figures["twice"], figures["lost"], figures["problem"]), (0, 0, ""))
        self.assertEqual(figures["stats"]["completed"], 24)


if __name__ == "__main__":
    unittest.main(verbosity=2)
