"""Keys, users, sessions, idempotency keys, and one audit trail in place of the logs of recipes and stations."""

import datetime as dt
from collections.abc import Iterator

import sqlalchemy as sa
from alembic import op

from service.audit.entry import GENESIS, Action, Entry

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None

_ACTIONS = {
    "created": Action.RECIPE_CREATED,
    "activated": Action.RECIPE_ACTIVATED,
    "deactivated": Action.RECIPE_DEACTIVATED,
}


def upgrade() -> None:
    instant = sa.DateTime(timezone=True)
    op.create_table(
        "audit",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("at", instant, nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("action", sa.String(32), nullable=False),
        sa.Column("subject", sa.String(160), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
        sa.Column("detail", sa.JSON, nullable=False),
        sa.Column("previous", sa.String(64), nullable=False),
        sa.Column("digest", sa.String(64), nullable=False),
    )
    for name in ("subject", "action", "by"):
        op.create_index(f"ix_audit_{name}", "audit", [name, "number"])
    op.create_table(
        "api_keys",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("station_id", sa.String(64)),
        sa.Column("sha256", sa.String(64), nullable=False, unique=True),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("revoked_at", instant),
    )
    op.create_table(
        "users",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("role", sa.String(16), nullable=False),
        sa.Column("password_hash", sa.String(200), nullable=False),
        sa.Column("created_at", instant, nullable=False),
        sa.Column("disabled_at", instant),
    )
    op.create_table(
        "sessions",
        sa.Column("sha256", sa.String(64), primary_key=True),
        sa.Column("user_name", sa.String(64), nullable=False),
        sa.Column("expires_at", instant, nullable=False),
    )
    op.create_index("ix_sessions_user", "sessions", ["user_name"])
    op.create_table(
        "log_in_failures",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", instant, nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("address", sa.String(64), nullable=False),
    )
    for name in ("name", "address"):
        op.create_index(f"ix_log_in_failures_{name}", "log_in_failures", [name, "at"])
    op.create_table(
        "idempotency_keys",
        sa.Column("scope", sa.String(80), primary_key=True),
        sa.Column("key", sa.String(128), primary_key=True),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("claim", sa.String(32), nullable=False),
        sa.Column("expires_at", instant, nullable=False),
        sa.Column("inspection_id", sa.String(36)),
    )
    op.create_index("ix_idempotency_keys_expires", "idempotency_keys", ["expires_at"])
    _move_the_logs(op.get_bind())
    _refuse_changes(op.get_bind())


def _move_the_logs(connection: sa.Connection) -> None:
    audit = sa.Table("audit", sa.MetaData(), autoload_with=connection)
    previous = GENESIS
    for number, (at, by, action, subject, reason, detail) in enumerate(_entries(connection), 1):
        entry = Entry(number, at, by, action, subject, reason, detail, previous)
        previous = entry.digest()
        row = {"number": number, "at": at, "by": by, "action": action.value, "subject": subject}
        row |= {"reason": reason, "detail": detail, "previous": entry.previous, "digest": previous}
        connection.execute(audit.insert().values(row))
    op.drop_table("recipe_changes")
    op.drop_table("changeovers")


def _entries(
    connection: sa.Connection,
) -> Iterator[tuple[dt.datetime, str, Action, str, str, dict[str, object]]]:
    metadata = sa.MetaData()
    changes = sa.Table("recipe_changes", metadata, autoload_with=connection)
    changeovers = sa.Table("changeovers", metadata, autoload_with=connection)
    found = [
        (row.at, row.by, _ACTIONS[row.action], f"recipe/{row.recipe}", row.reason, {"version": row.version})
        for row in connection.execute(sa.select(changes).order_by(changes.c.id))
    ]
    found += [
        (
            row.at,
            row.by,
            Action.STATION_CHANGED_OVER,
            f"station/{row.station_id}",
            row.reason,
            {"recipe": row.recipe},
        )
        for row in connection.execute(sa.select(changeovers).order_by(changeovers.c.id))
    ]
    for at, *rest in sorted(found, key=lambda entry: entry[0]):
        yield at.replace(tzinfo=at.tzinfo or dt.timezone.utc), *rest


def _refuse_changes(connection: sa.Connection) -> None:
    if connection.dialect.name == "sqlite":
        for event in ("UPDATE", "DELETE"):
            op.execute(
                f"CREATE TRIGGER audit_no_{event.lower()} BEFORE {event} ON audit "
                "BEGIN SELECT RAISE(ABORT, 'the audit trail can only grow'); END"
            )
        return
    op.execute(
        "CREATE FUNCTION refuse_audit_change() RETURNS trigger LANGUAGE plpgsql AS "
        "$$ BEGIN RAISE EXCEPTION 'the audit trail can only grow'; END $$"
    )
    op.execute(
        "CREATE TRIGGER audit_only_grows BEFORE UPDATE OR DELETE OR TRUNCATE ON audit "
        "FOR EACH STATEMENT EXECUTE FUNCTION refuse_audit_change()"
    )
