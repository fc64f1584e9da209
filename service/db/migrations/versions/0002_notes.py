"""Notes on the image of an inspection."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inspections", sa.Column("notes", sa.JSON, nullable=False, server_default="[]"))


def downgrade() -> None:
    op.drop_column("inspections", "notes")
