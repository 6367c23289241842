"""Server-sent events out of bytes, however the network cut them.

Read after the HTML standard's section on server-sent events: lines end in LF, CR LF or CR, a line
that begins with a colon is a comment, several ``data`` lines of one event are joined.
"""

import codecs
import re

_LINE_END = re.compile(r"\r\n|\n|\r")


class EventStream:
    """Takes bytes as they come and gives the ``data`` of every event that is whole.

    A character may be cut in its middle, CR LF between its two halves. Bytes that are no UTF-8
    become U+FFFD.
    """

    def __init__(self) -> None:
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._rest = ""  # of a line without an end yet
        self._data: list[str] = []
        self._after_cr = False  # a LF that comes next ends no second line
        self._begun = False

    def feed(self, chunk: bytes) -> list[str]:
        """The data of the events that ``chunk`` completes, in order."""
        return self._take(self._decoder.decode(chunk))

    def end(self) -> list[str]:
        """The data of a last event that no empty line followed; servers differ here."""
        return [*self._take(self._decoder.decode(b"", True)), *self._take("\n\n")]

    def _take(self, text: str) -> list[str]:
        if text and not self._begun:
            self._begun = True
            text = text.removeprefix("\ufeff")
        if text and self._after_cr:
            self._after_cr = False
            text = text.removeprefix("\n")
        self._after_cr = text.endswith("\r") or (self._after_cr and not text)
        *lines, self._rest = _LINE_END.split(self._rest + text)
        return [event for line in lines if (event := self._line(line)) is not None]

    def _line(self, line: str) -> str | None:
        """The data of the event that this line ends, if it ends one that has any."""
        if line:
            name, _, value = line.partition(":")
            if name == "data":
                self._data.append(value.removeprefix(" "))
            return None
        data, self._data = self._data, []
        return "\n".join(data) if data else None
