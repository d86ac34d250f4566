"""The exceptions that the native module raises.

Facts about a fault, apart from its message, are in fields, which pickles and copies keep.
"""


class IllegalActionError(ValueError):
    """An action that is not legal here or does not exist. Nothing was changed."""

    __module__ = "darkqi"

    lane: int | None
    """The lane of the env whose action it is; None where there are no lanes."""
    action: int | str | None
    """The action as it was given, an index or a name; None where a message says more than one."""

    def __init__(
        self, message: str = "", lane: int | None = None, action: int | str | None = None
    ) -> None:
        """Takes the message alone as ``args``, so that ``str`` shows it."""
        super().__init__(message)
        self.lane = lane
        self.action = action


class FenError(ValueError):
    """A malformed FEN. The message names the field and what is wrong with it."""

    __module__ = "darkqi"

    field: str | None
    """The name of the field, such as ``board`` or ``mover``."""

    def __init__(self, message: str = "", field: str | None = None) -> None:
        """Takes the message alone as ``args``, so that ``str`` shows it."""
        super().__init__(message)
        self.field = field


class DatasetError(OSError):
    """A file of a dataset that is damaged, or is not what the dataset needs."""

    __module__ = "darkqi"

    file: str | None
    """The path of the file."""
    column: str | None
    """The column of the file; None where the message is about the whole file."""
    row: int | None
    """The row of the value in the column, counted from 0; None where it is about the column."""

    def __init__(
        self,
        message: str = "",
        file: str | None = None,
        column: str | None = None,
        row: int | None = None,
    ) -> None:
        """Takes the message alone as ``args``, so that ``str`` shows it."""
        super().__init__(message)
        self.file = file
        self.column = column
        self.row = row


class InternalError(RuntimeError):
    """A bug in darkqi. An object that was being changed then cannot be used any more."""

    __module__ = "darkqi"
    # So that it can become the base of the exception for panics.
    __slots__ = ()
