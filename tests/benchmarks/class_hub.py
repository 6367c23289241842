"""A JupyterHub on loopback with a home for each learner, and its end, whatever it has started."""

import contextlib
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import psutil
from benchmarks.class_setup import ENVIRONMENT, PROXY, ROOT

from paged_attention.model import smollm2

HOST = "127.0.0.1"
MARK = "SIMULATED_CLASS"  # in the environment of every process of this class


@dataclass(frozen=True)
class Hub:
    """A running hub: its address, the token that may do everything, the room's folder."""

    url: str
    token: str
    room: Path
    process: "psutil.Popen"

    def processes(self) -> list[psutil.Process]:
        """The hub, its proxy, the learners' servers and their kernels."""
        found = []
        for process in psutil.process_iter():
            with contextlib.suppress(psutil.Error):
                if process.environ().get(MARK) == str(self.room):
                    found.append(process)
        return found

    def stop(self) -> None:
        """End all of them: asked first, the hub before those it would start again."""
        everyone = sorted(self.processes(), key=lambda process: process.pid != self.process.pid)
        for process in everyone:
            with contextlib.suppress(psutil.Error):
                process.terminate()
        for process in psutil.wait_procs(everyone, timeout=10)[1]:
            with contextlib.suppress(psutil.Error):
                process.kill()


def free_ports(count: int) -> list[int]:
    """Ports that nobody listens at now."""
    with contextlib.ExitStack() as held:
        sockets = [held.enter_context(socket.socket()) for _ in range(count)]
        for each in sockets:
            each.bind((HOST, 0))
        return [each.getsockname()[1] for each in sockets]


def environment(room: Path) -> dict[str, str]:
    """What every learner's server and kernels get: the model to read, and no more than a core."""
    model = smollm2.ready_folder()
    if model is None:
        sys.exit("The class shares SmolLM2, which isn't here yet: make model")
    book = Path(sysconfig.get_path("data"))
    return {
        MARK: str(room),
        "PAGED_ATTENTION_MODEL": str(model),
        "OMP_NUM_THREADS": "1",
        "PYTHONPATH": str(ROOT / "src"),
        "JUPYTER_PATH": str(book / "share" / "jupyter"),
        "JUPYTER_CONFIG_PATH": str(book / "etc" / "jupyter"),
        "JUPYTERLAB_DIR": str(book / "share" / "jupyter" / "lab"),
    }


def config(room: Path, token: str, ports: Sequence[int]) -> str:
    """``jupyterhub_config.py``, as ``hub/`` describes it, but for the authenticator."""
    front, inner, api = ports
    arguments = ["--ServerApp.terminals_enabled=False", "--LabApp.news_url="]
    if os.geteuid() == 0:
        arguments.append("--allow-root")
    settings = {
        "JupyterHub.bind_url": f"http://{HOST}:{front}",
        "JupyterHub.hub_ip": HOST,
        "JupyterHub.hub_port": inner,
        "JupyterHub.authenticator_class": "dummy",
        "Authenticator.allow_all": True,
        "JupyterHub.spawner_class": "simple",
        "JupyterHub.concurrent_spawn_limit": 0,  # none: a room opens the door at once
        "SimpleLocalProcessSpawner.home_dir_template": f"{room}/home/{{username}}",
        "Spawner.cmd": [str(ENVIRONMENT / "bin" / "jupyterhub-singleuser")],
        "Spawner.args": arguments,
        "Spawner.default_url": "/lab",
        "Spawner.start_timeout": 180,
        "Spawner.http_timeout": 180,
        "Spawner.environment": environment(room),
        "ConfigurableHTTPProxy.command": ["node", str(PROXY / "bin" / "configurable-http-proxy")],
        "ConfigurableHTTPProxy.api_url": f"http://{HOST}:{api}",
        "JupyterHub.services": [{"name": "class", "api_token": token}],
        "JupyterHub.load_roles": [
            {
                "name": "class",
                "scopes": ["admin:users", "admin:servers", "access:servers"],
                "services": ["class"],
            }
        ],
    }
    return "".join(f"c.{name} = {value!r}\n" for name, value in settings.items())


@contextlib.contextmanager
def hub(room: Path, names: Sequence[str], edition: Path) -> Iterator[Hub]:
    """Run one in the empty folder ``room``, each home a copy of ``edition``; stop it at the end."""
    for name in names:
        shutil.copytree(edition, room / "home" / name)
    token, ports = os.urandom(16).hex(), free_ports(3)
    (room / "jupyterhub_config.py").write_text(config(room, token, ports))
    with (room / "hub.log").open("w") as log:
        process = psutil.Popen(
            [str(ENVIRONMENT / "bin" / "jupyterhub"), "-f", "jupyterhub_config.py"],
            cwd=room,
            env=os.environ | {MARK: str(room)},
            stdout=log,
            stderr=subprocess.STDOUT,
        )
    running = Hub(f"http://{HOST}:{ports[0]}", token, room, process)
    try:
        yield running
    finally:
        running.stop()
