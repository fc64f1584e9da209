"""What was printed in fields whose numbers go on from part to part."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "serials",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("at", sa.DateTime(timezone=True), nullable=False),
        sa.Column("recipe", sa.String(64), nullable=False),
        sa.Column("field", sa.String(64), nullable=False),
        sa.Column("value", sa.String(200), nullable=False),
        sa.Column("station_id", sa.String(64)),
        sa.Column("part_id", sa.String(128)),
        sa.Column("passed", sa.Boolean, nullable=False),
        sa.Column("inspection_id", sa.String(36), nullable=False),
    )
    op.create_index("ix_serials_value", "serials", ["recipe", "field", "value"])
    op.create_index("ix_serials_station", "serials", ["recipe", "field", "station_id", "id"])


def downgrade() -> None:
    op.drop_table("serials")
