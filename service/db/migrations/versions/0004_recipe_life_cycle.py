"""Who changed a recipe and why, and which recipe a station runs."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "recipe_changes",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("version", sa.Integer, nullable=False),
        sa.Column("action", sa.String(16), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
    )
    op.create_index("ix_recipe_changes_recipe", "recipe_changes", ["recipe", "id"])
    op.create_table(
        "stations",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("since", sa.DateTime(timezone=True), nullable=False),
    )
    op.create_table(
        "changeovers",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("station_id", sa.String(64), nullable=False),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("by", sa.String(64), nullable=False),
        sa.Column("reason", sa.String(500), nullable=False),
    )
    op.create_index("ix_changeovers_station", "changeovers", ["station_id", "id"])
    op.add_column(
        "recipe_versions", sa.Column("from_file", sa.Boolean, nullable=False, server_default=sa.true())
    )


def downgrade() -> None:
    op.drop_column("recipe_versions", "from_file")
    op.drop_table("changeovers")
    op.drop_table("stations")
    op.drop_table("recipe_changes")
