from __future__ import annotations

import datetime as dt
from typing import Any

from sqlalchemy import JSON, Index, String, Text, text
from sqlalchemy.orm import Mapped, mapped_column

from service.db.engine import Base
from service.db.types import Instant, TimeId


class InspectionRow(Base):
    """One inspection. Ids are ordered by the time of receipt: they are page cursors, and bounds of time ranges."""

    __tablename__ = "inspections"

    id: Mapped[str] = mapped_column(TimeId, primary_key=True)
    received_at: Mapped[dt.datetime] = mapped_column(Instant)
    captured_at: Mapped[dt.datetime | None] = mapped_column(Instant)
    recipe: Mapped[str] = mapped_column(String(64))
    recipe_version: Mapped[int]
    station_id: Mapped[str | None] = mapped_column(String(64))
    part_id: Mapped[str | None] = mapped_column(String(128))
    expected: Mapped[dict[str, str]] = mapped_column(JSON)
    verdict: Mapped[str] = mapped_column(String(8))
    reject: Mapped[bool]
    production: Mapped[dict[str, Any] | None] = mapped_column(JSON(none_as_null=True))
    fields: Mapped[list[Any]] = mapped_column(JSON)
    defects: Mapped[list[Any]] = mapped_column(JSON)
    lines: Mapped[list[Any]] = mapped_column(JSON)
    timings_ms: Mapped[dict[str, float]] = mapped_column(JSON)
    width: Mapped[int]
    height: Mapped[int]
    media_type: Mapped[str] = mapped_column(String(32))
    notes: Mapped[list[str]] = mapped_column(JSON)
    image_sha256: Mapped[str] = mapped_column(String(64))
    image_bytes: Mapped[int] = mapped_column(server_default="0")
    image_key: Mapped[str | None] = mapped_column(String(128))
    bundle: Mapped[str] = mapped_column(String(64))
    bundle_sha256: Mapped[str] = mapped_column(String(64))
    runtime: Mapped[str] = mapped_column(String(64))
    service_version: Mapped[str] = mapped_column(String(32))

    __table_args__ = (
        Index("ix_inspections_verdict", "verdict", "id"),
        Index("ix_inspections_recipe", "recipe", "id"),
        Index("ix_inspections_recipe_verdict", "recipe", "verdict", "id"),
        Index("ix_inspections_station", "station_id", "id"),
        Index("ix_inspections_station_recipe", "station_id", "recipe", "id"),
        Index("ix_inspections_station_verdict", "station_id", "verdict", "id"),
        Index("ix_inspections_part", "part_id", "id"),
        Index(
            "ix_inspections_image",
            "verdict",
            "id",
            "image_bytes",
            sqlite_where=text("image_key IS NOT NULL"),
            postgresql_where=text("image_key IS NOT NULL"),
        ),
        {"postgresql_partition_by": "RANGE (id)"},
    )


class InspectionTextRow(Base):
    """What inspections are searched by: every text that was read or given. An FTS5 table on SQLite."""

    __tablename__ = "inspection_texts"

    inspection_id: Mapped[str] = mapped_column(TimeId, primary_key=True)
    text: Mapped[str] = mapped_column(Text)

    __table_args__ = (
        Index(
            "ix_inspection_texts_text",
            "text",
            postgresql_using="gin",
            postgresql_ops={"text": "gin_trgm_ops"},
        ).ddl_if(dialect="postgresql"),
        {"postgresql_partition_by": "RANGE (inspection_id)"},
    )


class InspectionDefectRow(Base):
    """By which inspections a defect is found; what it says is in the inspection."""

    __tablename__ = "inspection_defects"

    code: Mapped[str] = mapped_column(String(32), primary_key=True)
    inspection_id: Mapped[str] = mapped_column(TimeId, primary_key=True)


class SerialRow(Base):
    """What an inspection has read of a field whose numbers go on from part to part."""

    __tablename__ = "serials"

    id: Mapped[int] = mapped_column(primary_key=True)
    at: Mapped[dt.datetime] = mapped_column(Instant)
    recipe: Mapped[str] = mapped_column(String(64))
    field: Mapped[str] = mapped_column(String(64))
    value: Mapped[str] = mapped_column(String(200))
    station_id: Mapped[str | None] = mapped_column(String(64))
    part_id: Mapped[str | None] = mapped_column(String(128))
    passed: Mapped[bool]
    inspection_id: Mapped[str] = mapped_column(String(36))

    __table_args__ = (
        Index("ix_serials_value", "recipe", "field", "value"),
        Index("ix_serials_station", "recipe", "field", "station_id", "id"),
    )
