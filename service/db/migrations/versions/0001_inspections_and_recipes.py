"""Inspections and recipe versions."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recipe_versions",
        sa.Column("name", sa.String(64), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True, autoincrement=False),
        sa.Column("source", sa.Text, nullable=False),
        sa.Column("sha256", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("active", sa.Boolean, nullable=False),
    )
    op.create_table(
        "inspections",
        sa.Column("id", sa.String(36), primary_key=True),
        sa.Column("received_at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("captured_at", sa.DateTime(timezone=True)),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("recipe_version", sa.Integer, nullable=False),
        sa.Column("station_id", sa.String(64)),
        sa.Column("part_id", sa.String(128)),
        sa.Column("expected", sa.JSON, nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("reject", sa.Boolean, nullable=False),
        sa.Column("fields", sa.JSON, nullable=False),
        sa.Column("defects", sa.JSON, nullable=False),
        sa.Column("lines", sa.JSON, nullable=False),
        sa.Column("timings_ms", sa.JSON, nullable=False),
        sa.Column("width", sa.Integer, nullable=False),
        sa.Column("height", sa.Integer, nullable=False),
        sa.Column("media_type", sa.String(32), nullable=False),
        sa.Column("image_sha256", sa.String(64), nullable=False),
        sa.Column("image_key", sa.String(128)),
        sa.Column("bundle", sa.String(64), nullable=False),
        sa.Column("bundle_sha256", sa.String(64), nullable=False),
        sa.Column("runtime", sa.String(64), nullable=False),
        sa.Column("service_version", sa.String(32), nullable=False),
    )
    op.create_index("ix_inspections_verdict", "inspections", ["verdict", "id"])
    op.create_index("ix_inspections_recipe", "inspections", ["recipe", "id"])
    op.create_index("ix_inspections_station", "inspections", ["station_id", "id"])
    op.create_index("ix_inspections_part", "inspections", ["part_id", "id"])


def downgrade() -> None:
    op.drop_table("inspections")
    op.drop_table("recipe_versions")
