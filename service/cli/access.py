"""`printproof keys` and `printproof users`: who may use the service."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated

import typer

from service.access.roles import MAX_KEY_NAME, Role
from service.cli.author import By, Reason, author, one_line
from service.cli.console import output, say
from service.errors import ValueInvalid
from service.settings import load_settings

if TYPE_CHECKING:
    from service.access.repository import KeyRepository, UserRepository

keys = typer.Typer(help="API keys of cameras and programs.", no_args_is_help=True)
users = typer.Typer(help="People who log in.", no_args_is_help=True)

RoleOption = Annotated[
    Role,
    typer.Option(
        help="camera: post images; qa: see and review; engineer: see, post, change recipes and stations; admin: all."
    ),
]
UserName = Annotated[str, typer.Argument(help="Name of the user.")]
PasswordFromInput = Annotated[
    bool,
    typer.Option("--password-stdin", help="Take the password from standard input, not from the keyboard."),
]


@contextmanager
def _keys() -> Iterator[KeyRepository]:
    from service.access.repository import KeyRepository  # noqa: PLC0415 (SQLAlchemy)
    from service.db.engine import opened  # noqa: PLC0415

    with opened(load_settings().database) as database:
        yield KeyRepository(database)


@contextmanager
def _users() -> Iterator[UserRepository]:
    from service.access.repository import UserRepository  # noqa: PLC0415
    from service.db.engine import opened  # noqa: PLC0415

    with opened(load_settings().database) as database:
        yield UserRepository(database)


@keys.command("create")
def create_key(
    name: Annotated[str, typer.Argument(help="What the key is called, such as the camera's name.")],
    role: RoleOption,
    by: By,
    reason: Reason = "set up",
    station: Annotated[str | None, typer.Option(help="Let it speak for this station only.")] = None,
) -> None:
    """Make a key and print it, this once: only its hash is stored."""
    one_line("a key's name", name, MAX_KEY_NAME)
    if station is not None:
        one_line("a station", station)
        if role is not Role.CAMERA:
            raise ValueInvalid("--station is for cameras: the other roles are of the whole plant")
    with _keys() as repository:
        made, key = repository.create(name, role, station, author(by, reason))
    say(f"key {made.id} ({made.name}, {made.role.value}); it is not shown again:")
    typer.echo(key)


@keys.command("list")
def list_keys() -> None:
    """All keys: id, name, role, station, since when, and whether revoked."""
    with _keys() as repository:
        for one in repository.all():
            facts = [one.id, one.name, one.role.value]
            facts += [f"station {one.station_id}"] if one.station_id else []
            facts += [f"since {one.created_at:%Y-%m-%d %H:%M:%S}"]
            facts += [f"revoked {one.revoked_at:%Y-%m-%d %H:%M:%S}"] if one.revoked_at else []
            output.print("  ".join(facts), markup=False)


@keys.command("revoke")
def revoke_key(
    key_id: Annotated[str, typer.Argument(help="Id of the key, as `keys list` shows it.")],
    reason: Reason,
    by: By,
) -> None:
    """Let a key open nothing from now on."""
    with _keys() as repository:
        revoked = repository.revoke(key_id, author(by, reason))
    say(f"key {revoked.id} ({revoked.name}) is revoked")


@users.command("add")
def add_user(
    name: UserName,
    role: RoleOption,
    by: By,
    reason: Reason = "set up",
    password_stdin: PasswordFromInput = False,
) -> None:
    """Let a person log in; asks for the password."""
    one_line("a user's name", name)
    with _users() as repository:
        repository.add(name, role, _password(password_stdin), author(by, reason))
    say(f"{name} may log in as {role.value}")


@users.command("list")
def list_users() -> None:
    """All users: name, role, since when, and whether disabled."""
    with _users() as repository:
        for one in repository.all():
            facts = [one.name, one.role.value, f"since {one.created_at:%Y-%m-%d %H:%M:%S}"]
            facts += [f"disabled {one.disabled_at:%Y-%m-%d %H:%M:%S}"] if one.disabled_at else []
            output.print("  ".join(facts), markup=False)


@users.command("set-password")
def set_password(name: UserName, reason: Reason, by: By, password_stdin: PasswordFromInput = False) -> None:
    """Give a user a new password; ends all sessions, and lets a disabled user in again."""
    with _users() as repository:
        repository.set_password(name, _password(password_stdin), author(by, reason))
    say(f"{name} has a new password")


@users.command("disable")
def disable_user(name: UserName, reason: Reason, by: By) -> None:
    """Let a user in no more, from this moment."""
    with _users() as repository:
        repository.disable(name, author(by, reason))
    say(f"{name} is disabled")


def _password(from_input: bool) -> str:
    if from_input:
        return sys.stdin.readline().rstrip("\n")
    if not sys.stdin.isatty():
        raise ValueInvalid("there is no keyboard to type the password on: use --password-stdin")
    typed: str = typer.prompt("password", hide_input=True, confirmation_prompt=True)
    return typed
