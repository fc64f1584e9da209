"""Reviews by people, lines of stations, and which images are kept."""

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import postgresql

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

_ID = sa.String(36).with_variant(postgresql.UUID(as_uuid=False), "postgresql")


def upgrade() -> None:
    op.create_table(
        "reviews",
        sa.Column("inspection_id", _ID, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("verdict", sa.String(8), nullable=False),
        sa.Column("outcome", sa.String(16), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
    )
    op.create_index("ix_reviews_outcome", "reviews", ["outcome", "inspection_id"])
    with op.batch_alter_table("stations") as stations:
        stations.add_column(sa.Column("line", sa.String(64)))
        stations.alter_column("recipe", existing_type=sa.String(64), nullable=True)
        stations.alter_column("since", existing_type=sa.DateTime(timezone=True), nullable=True)
    kept = sa.text("image_key IS NOT NULL")
    op.create_index(
        "ix_inspections_image",
        "inspections",
        ["verdict", "id", "image_bytes"],
        sqlite_where=kept,
        postgresql_where=kept,
    )
