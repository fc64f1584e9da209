"""Results of a plant: months of PostgreSQL, search by text and defect, and what is counted a minute."""

import datetime as dt
import json
from collections import Counter
from typing import Any

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

from service.db.partitions import add_months

revision = "0006"
down_revision = "0005"
branch_labels = None
depends_on = None

_ID = sa.String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")
_KEY = ("kind", "minute", "station_id", "recipe", "recipe_version", "name", "field")
_INDEXES = {
    "ix_inspections_verdict": ["verdict", "id"],
    "ix_inspections_recipe": ["recipe", "id"],
    "ix_inspections_recipe_verdict": ["recipe", "verdict", "id"],
    "ix_inspections_station": ["station_id", "id"],
    "ix_inspections_station_recipe": ["station_id", "recipe", "id"],
    "ix_inspections_station_verdict": ["station_id", "verdict", "id"],
    "ix_inspections_part": ["part_id", "id"],
}


def upgrade() -> None:
    connection = op.get_bind()
    on_postgresql = connection.dialect.name == "postgresql"
    op.add_column("inspections", sa.Column("image_bytes", sa.Integer, nullable=False, server_default="0"))
    if on_postgresql:
        _divide_inspections(connection)
    else:
        for name in (
            "ix_inspections_recipe_verdict",
            "ix_inspections_station_recipe",
            "ix_inspections_station_verdict",
        ):
            op.create_index(name, "inspections", _INDEXES[name])
        op.execute(
            "CREATE VIRTUAL TABLE inspection_texts USING fts5(inspection_id UNINDEXED, text, tokenize='trigram')"
        )
    op.create_table(
        "inspection_defects",
        sa.Column("code", sa.String(32), primary_key=True),
        sa.Column("inspection_id", _ID, primary_key=True),
    )
    op.create_table(
        "tallies",
        sa.Column("kind", sa.String(8), primary_key=True),
        sa.Column("minute", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("station_id", sa.String(64), primary_key=True),
        sa.Column("recipe", sa.String(64), primary_key=True),
        sa.Column("recipe_version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("field", sa.String(64), primary_key=True),
        sa.Column("count", sa.BigInteger, nullable=False),
        sa.Column("total", sa.Double, nullable=False),
    )
    _count_what_is_there(connection)


def _divide_inspections(connection: sa.Connection) -> None:
    old = sa.Table("inspections", sa.MetaData(), autoload_with=connection)
    first = connection.scalar(sa.select(sa.func.min(old.c.received_at)))
    for index in old.indexes:
        op.drop_index(str(index.name), "inspections")
    op.rename_table("inspections", "inspections_before")
    op.execute("ALTER TABLE inspections_before RENAME CONSTRAINT inspections_pkey TO inspections_before_pkey")
    columns = [sa.Column("id", postgresql.UUID(as_uuid=False), primary_key=True)]
    columns += [
        sa.Column(one.name, one.type, nullable=one.nullable, server_default=one.server_default)
        for one in old.c
        if one.name != "id"
    ]
    op.create_table("inspections", *columns, postgresql_partition_by="RANGE (id)")
    op.execute("CREATE EXTENSION IF NOT EXISTS pg_trgm")
    op.create_table(
        "inspection_texts",
        sa.Column("inspection_id", postgresql.UUID(as_uuid=False), primary_key=True),
        sa.Column("text", sa.Text, nullable=False),
        postgresql_partition_by="RANGE (inspection_id)",
    )
    for table in ("inspections", "inspection_texts"):
        op.execute(f"CREATE TABLE {table}_other PARTITION OF {table} DEFAULT")
    if first is not None:
        add_months(connection, first, dt.datetime.now(dt.timezone.utc))
    names = ", ".join(f'"{one.name}"' for one in old.c if one.name != "id")
    copy = f"INSERT INTO inspections (id, {names}) SELECT CAST(id AS uuid), {names} FROM inspections_before"  # noqa: S608 (our own names)
    op.execute(copy)
    op.drop_table("inspections_before")
    for name, on in _INDEXES.items():
        op.create_index(name, "inspections", on)
    op.execute("CREATE INDEX ix_inspection_texts_text ON inspection_texts USING gin (text gin_trgm_ops)")


def _count_what_is_there(connection: sa.Connection) -> None:
    """What the service writes from now on with each inspection."""
    metadata = sa.MetaData()
    rows = sa.Table("inspections", metadata, autoload_with=connection)
    defects = sa.Table("inspection_defects", metadata, autoload_with=connection)
    tallies = sa.Table("tallies", metadata, autoload_with=connection)
    texts = sa.table("inspection_texts", sa.column("inspection_id", _ID), sa.column("text", sa.Text))
    wanted = ("id", "received_at", "station_id", "recipe", "recipe_version", "verdict")
    documents = ("expected", "fields", "defects", "lines")
    query = sa.select(*(rows.c[name] for name in wanted), *(rows.c[name] for name in documents))
    counts: Counter[tuple[object, ...]] = Counter()
    totals: Counter[tuple[object, ...]] = Counter()
    after = None
    while found := connection.execute(_next(query, rows.c.id, after)).all():
        after = found[-1].id
        for row in found:
            received = row.received_at.replace(tzinfo=row.received_at.tzinfo or dt.timezone.utc)
            at = (int(received.timestamp()) // 60, row.station_id or "", row.recipe, row.recipe_version)
            expected, fields, faults, lines = (_parsed(getattr(row, name)) for name in documents)
            text = "\n".join([*(line["text"] for line in lines), *expected.values()])
            connection.execute(texts.insert().values(inspection_id=str(row.id), text=text))
            for code in {fault["code"] for fault in faults}:
                connection.execute(defects.insert().values(code=code, inspection_id=row.id))
            counts[("verdict", *at, row.verdict, "")] += 1
            for fault in faults:
                counts[("defect", *at, fault["code"], fault["field"] or "")] += 1
            for field in fields:
                if field["score"] is not None:
                    counts[("score", *at, "", field["name"])] += 1
                    totals[("score", *at, "", field["name"])] += field["score"]
    for key, count in counts.items():
        row_of = dict(zip(_KEY, key, strict=True))
        connection.execute(tallies.insert().values(**row_of, count=count, total=float(totals[key])))


def _next(query: sa.Select[Any], column: sa.Column[Any], after: object) -> sa.Select[Any]:
    query = query.order_by(column).limit(1000)
    return query if after is None else query.where(column > after)


def _parsed(value: Any) -> Any:
    return json.loads(value) if isinstance(value, str) else value
