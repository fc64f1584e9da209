"""The production date that an inspection was judged by."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("inspections", sa.Column("production", sa.JSON, nullable=True))


def downgrade() -> None:
    op.drop_column("inspections", "production")
