"""Install JupyterHub and its proxy for the simulated class, in ``build/class`` beside the book.

    in tests/:  python -m benchmarks.class_setup

The environment sees the book's own packages, JupyterLab among them, and adds JupyterHub: so what
learners meet is the Lab that the book was tested with. A second call has nothing to do.
"""

import json
import shutil
import subprocess
import sys
import sysconfig
import venv
from pathlib import Path

ROOT = Path(__file__).parents[2]
PLACE = ROOT / "build" / "class"
ENVIRONMENT = PLACE / "venv"
PROXY = PLACE / "proxy" / "node_modules" / "configurable-http-proxy"
WANTED = Path(__file__).with_name("class_proxy")


def install_hub() -> None:
    """A virtual environment with JupyterHub on top of this one's packages."""
    if (ENVIRONMENT / "bin" / "jupyterhub-singleuser").exists():
        return
    venv.create(ENVIRONMENT, with_pip=True)
    python = f"python{sys.version_info.major}.{sys.version_info.minor}"
    ours = sysconfig.get_path("purelib")
    line = f"import site; site.addsitedir({ours!r})\n"  # editable packages come along
    (ENVIRONMENT / "lib" / python / "site-packages" / "book.pth").write_text(line)
    pip = [str(ENVIRONMENT / "bin" / "python"), "-m", "pip", "--disable-pip-version-check"]
    constraints = ["--constraint", str(ROOT / "constraints.txt")]
    subprocess.run([*pip, "install", "--quiet", *constraints, "jupyterhub"], check=True)


def install_proxy() -> None:
    """The proxy's pinned packages, by ``npm ci``."""
    wanted = json.loads((WANTED / "package.json").read_text())["dependencies"]
    there = PROXY / "package.json"
    if there.exists() and json.loads(there.read_text())["version"] in wanted.values():
        return
    if shutil.which("npm") is None:
        sys.exit("The class needs Node 20 or newer with npm, for JupyterHub's proxy.")
    shutil.copytree(WANTED, PROXY.parents[1], dirs_exist_ok=True)
    subprocess.run(["npm", "ci", "--silent"], cwd=PROXY.parents[1], check=True)


if __name__ == "__main__":
    install_hub()
    install_proxy()
    print(f"JupyterHub and its proxy are in {PLACE.relative_to(ROOT)}")
