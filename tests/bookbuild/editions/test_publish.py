"""Publishing only adds: whatever is published stays as it is, byte for byte, under its name."""

from collections.abc import Callable
from pathlib import Path
from subprocess import run

import nbformat
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from nbformat.v4 import new_markdown_cell, new_notebook

from bookbuild.book import BookError
from bookbuild.build import written
from bookbuild.editions.corrected import version
from bookbuild.editions.folder import Files
from bookbuild.editions.marking import unmarked
from bookbuild.editions.places import Branch, Folder, Place, place
from bookbuild.editions.publish import additions, read

TWO, ONE = "02_pool.ipynb", "solutions/ex-02-1.py"
BRANCH = "workshop-2026-12-01"


def notebook(*words: str) -> bytes:
    cells = [new_markdown_cell(text, id=f"c-{at}") for at, text in enumerate(words)]
    return written(new_notebook(cells=cells))


def edition(two: str = "two", one: str = "one", **others: bytes) -> Files:
    files = {TWO: notebook(f"{two} runs {ONE}"), ONE: one.encode(), "README.md": b"read", **others}
    originals = {f".originals/{name}": text for name, text in files.items() if "ipynb" in name}
    return files | originals


def words_of(content: bytes) -> str:
    return "\n".join(cell.source for cell in nbformat.reads(content.decode(), as_version=4).cells)


def test_the_first_time_everything_is_published() -> None:
    assert additions({}, edition(), None) == edition()


def test_again_there_is_nothing_to_do() -> None:
    assert additions(edition(), edition(), None) == {}
    assert additions(edition(), edition(), "corrected 14.30") == {}


def test_a_changed_notebook_is_refused_and_named() -> None:
    with pytest.raises(BookError, match=rf"{TWO}.*--correct"):
        additions(edition(), edition("better"), None)


def test_a_correction_is_a_new_file_beside_with_its_original() -> None:
    new = additions(edition(), edition("better"), "corrected 14.30")
    name = "02_pool (corrected 14.30).ipynb"
    assert set(new) == {name, f".originals/{name}"}
    assert new[name] == new[f".originals/{name}"]
    assert unmarked(new[name]) == edition("better")[TWO]
    assert words_of(new[name]).startswith("**Corrected 14.30.** The notebook that you had")


def test_a_published_correction_is_not_published_again() -> None:
    there = edition() | additions(edition(), edition("better"), "corrected 14.30")
    assert additions(there, edition("better"), "corrected 15.00") == {}
    assert additions(there, edition("better"), None) == {}


def test_a_correction_can_be_corrected_and_taken_back() -> None:
    there = edition() | additions(edition(), edition("better"), "corrected 14.30")
    for words in ("best", "two"):
        new = additions(there, edition(words), "corrected 15.00")
        assert unmarked(new["02_pool (corrected 15.00).ipynb"]) == edition(words)[TWO]


def test_a_corrected_solution_takes_its_notebook_along() -> None:
    new = additions(edition(), edition(one="1"), "corrected 14.30")
    assert new["solutions/ex-02-1-corrected-14.30.py"] == b"1"
    said = words_of(new["02_pool (corrected 14.30).ipynb"])
    assert said.endswith("two runs solutions/ex-02-1-corrected-14.30.py")
    assert additions(edition() | new, edition(one="1"), "corrected 15.00") == {}


def test_two_corrections_in_a_minute_are_refused() -> None:
    there = edition() | additions(edition(), edition("better"), "corrected 14.30")
    with pytest.raises(BookError, match="wait for a minute"):
        additions(there, edition("best"), "corrected 14.30")


def test_what_the_edition_lacks_stays_published() -> None:
    """A file deleted by the teacher and changed by a learner stops every later pull (nbgitpuller
    265).
    """
    fewer = {name: content for name, content in edition().items() if name != ONE}
    assert additions(edition(), fewer, None) == {}


def test_a_renamed_chapter_is_refused() -> None:
    other = edition() | {"02_the_pool.ipynb": notebook("two")}
    with pytest.raises(BookError, match="chapter 02 is published as 02_pool"):
        additions(edition(), other, "corrected 14.30")


def test_a_later_chapter_is_added_and_the_first_page_stays() -> None:
    more = edition(**{"03_tables.ipynb": notebook("three"), "README.md": b"read both"})
    assert set(additions(edition(), more, None)) == {
        "03_tables.ipynb",
        ".originals/03_tables.ipynb",
    }


def test_a_teachers_own_file_is_never_changed_either() -> None:
    there = edition() | {"plan.txt": b"old"}
    with pytest.raises(BookError, match=r"plan\.txt"):
        additions(there, edition() | {"plan.txt": b"new"}, "corrected 14.30")


WORDS = st.sampled_from(["a", "b", "c"])


@given(st.lists(st.tuples(WORDS, WORDS, st.booleans()), max_size=6))
@settings(max_examples=40)
def test_whatever_is_published_later_the_first_files_stay(
    versions: list[tuple[str, str, bool]],
) -> None:
    there: Files = {}
    for minute, (two, one, correct) in enumerate(versions):
        before = dict(there)
        try:
            new = additions(
                there, edition(two, one), f"corrected 10.{minute:02}" if correct else None
            )
        except BookError:
            assert not correct
            continue
        assert not new.keys() & there.keys()
        there |= new
        assert {name: there[name] for name in before} == before
        newest = max((name for name in there if version(name).of == TWO), key=version)
        said = words_of(there[newest]).splitlines()[-1]
        assert (said[0], there[said.split("runs ")[1]].decode()) == (two, one)


def git(folder: Path, *words: str) -> str:
    return run(
        ["git", "-C", str(folder), *words], check=True, capture_output=True, text=True
    ).stdout


@pytest.fixture
def repository(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for who in ("AUTHOR", "COMMITTER"):
        monkeypatch.setenv(f"GIT_{who}_NAME", "A teacher")
        monkeypatch.setenv(f"GIT_{who}_EMAIL", "teacher@example.org")
    folder = tmp_path / "repository"
    folder.mkdir()
    git(folder, "init", "-q")
    return folder


@pytest.fixture(params=["folder", "branch"])
def target(request: pytest.FixtureRequest, tmp_path: Path) -> Place:
    if request.param == "folder":
        return Folder(tmp_path / "published")
    return Branch(request.getfixturevalue("repository"), BRANCH)


def test_a_place_keeps_what_it_got(target: Place) -> None:
    assert target.published() == {}
    target.add(edition(), "Publish")
    target.add({"new ü.ipynb": b"\x00\r\n"}, "More")
    assert target.published() == edition() | {"new ü.ipynb": b"\x00\r\n"}


def test_a_place_refuses_a_file_that_is_there(target: Place) -> None:
    target.add(edition(), "Publish")
    with pytest.raises(BookError):
        target.add({TWO: b"other", "new.ipynb": b""}, "Change")
    assert target.published() == edition()


def test_nothing_new_is_no_commit(repository: Path) -> None:
    branch = Branch(repository, BRANCH)
    branch.add(edition(), "Publish")
    before = git(repository, "rev-parse", BRANCH)
    branch.add({}, "Nothing")
    assert git(repository, "rev-parse", BRANCH) == before


def test_a_branch_grows_beside_whatever_is_checked_out(repository: Path) -> None:
    (repository / "mine.txt").write_text("work")
    git(repository, "add", "mine.txt")
    before = git(repository, "status", "--porcelain=v2")
    branch = Branch(repository, BRANCH)
    branch.add(edition(), "Publish an edition")
    branch.add({"more.txt": b"more"}, "Corrected 14.30")
    assert git(repository, "status", "--porcelain=v2") == before
    log = git(repository, "log", "--format=%s", "--name-status", "--no-renames", BRANCH)
    assert [line for line in log.split("\n") if line[:2] in ("M\t", "D\t")] == []
    assert "Corrected 14.30" in log


def test_a_branch_that_moved_meanwhile_is_not_overwritten(
    repository: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = Branch(repository, BRANCH), Branch(repository, BRANCH)
    ours.add(edition(), "Publish")
    tip = ours._tip()
    theirs.add({"theirs.txt": b""}, "Theirs")
    monkeypatch.setattr(ours, "_tip", lambda: tip)
    with pytest.raises(BookError, match="update-ref"):
        ours.add({"ours.txt": b""}, "Ours")
    assert "theirs.txt" in theirs.published()
    assert "ours.txt" not in theirs.published()


@pytest.mark.parametrize("name", ["main", "workshop", "workshop-1.12.", "workshop-2026-12-01/x"])
def test_other_branches_are_out_of_reach(repository: Path, name: str) -> None:
    with pytest.raises(BookError, match="workshop-YYYY-MM-DD"):
        Branch(repository, name)


def test_a_branch_that_is_checked_out_is_refused(repository: Path) -> None:
    Branch(repository, BRANCH).add(edition(), "Publish")
    git(repository, "checkout", "-q", BRANCH)
    with pytest.raises(BookError, match="checked out"):
        Branch(repository, BRANCH)


def test_a_repository_is_told_from_a_folder(repository: Path, tmp_path: Path) -> None:
    assert isinstance(place(repository, BRANCH), Branch)
    assert isinstance(place(tmp_path / "new", "main"), Folder)
    with pytest.raises(BookError, match="no git repository"):
        Branch(tmp_path, BRANCH)


def test_an_edition_is_read_without_what_looking_left(tmp_path: Path) -> None:
    Folder(tmp_path).add(edition(), "")
    for name in (".ipynb_checkpoints/x.ipynb", "solutions/__pycache__/x.pyc", "x.ipynb.part"):
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text("")
    assert read(tmp_path) == edition()


def test_what_is_no_edition_is_not_published(tmp_path: Path) -> None:
    with pytest.raises(BookError, match="is no edition"):
        read(tmp_path)


@pytest.fixture
def pulled() -> Callable[[Path, Path], None]:
    """Pull as a hub's learners do, by nbgitpuller itself, where that is installed."""
    puller = pytest.importorskip("nbgitpuller.pull", reason="nbgitpuller isn't installed")

    def pull(repository: Path, learner: Path) -> None:
        git_puller = puller.GitPuller(str(repository), str(learner), branch=BRANCH)
        assert list(git_puller.pull())

    return pull


def test_learners_keep_every_byte_and_get_the_correction(
    repository: Path, tmp_path: Path, pulled: Callable[[Path, Path], None]
) -> None:
    branch, learner = Branch(repository, BRANCH), tmp_path / "learner"
    branch.add(edition(), "Publish")
    pulled(repository, learner)
    (learner / TWO).write_bytes(b"my work")
    (learner / ONE).write_bytes(b"my changes to a solution")
    (learner / "mine.ipynb").write_bytes(b"mine")
    pulled(repository, learner)  # nothing new
    branch.add(additions(branch.published(), edition("better", "1"), "corrected 14.30"), "Correct")
    pulled(repository, learner)
    assert (learner / TWO).read_bytes() == b"my work"
    assert (learner / ONE).read_bytes() == b"my changes to a solution"
    assert (learner / "mine.ipynb").read_bytes() == b"mine"
    assert b"better" in (learner / "02_pool (corrected 14.30).ipynb").read_bytes()
