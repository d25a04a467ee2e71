"""What pyproject.toml cannot say: the version is tacit's, and the package carries tacit's public headers."""

import re
import shutil
from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py

INCLUDE = Path(__file__).resolve().parent.parent / "include" / "tacit"
VERSION = re.search(r'TACIT_VERSION\s+"([^"]+)"', (INCLUDE / "tacit.h").read_text(encoding="utf-8"))


class BuildWithHeaders(build_py):
    def run(self):
        super().run()
        headers = Path(self.build_lib) / "pytacit" / "headers"
        headers.mkdir(parents=True, exist_ok=True)
        for header in sorted(INCLUDE.glob("*.h")):
            shutil.copy(header, headers)


setup(version=VERSION[1], cmdclass={"build_py": BuildWithHeaders})
