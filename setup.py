"""What pyproject.toml cannot say: `resources` lies beside the package, and goes into it."""

from pathlib import Path

from setuptools import setup
from setuptools.command.build_py import build_py


class BuildWithResources(build_py):
    """An editable install finds them where they are."""

    def run(self) -> None:
        super().run()
        if not self.editable_mode:
            self.copy_tree("resources", str(Path(self.build_lib, "gpuexplorer", "resources")))


setup(cmdclass={"build_py": BuildWithResources})
