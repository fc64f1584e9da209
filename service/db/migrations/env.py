"""Alembic's entry point: runs on the connection that `service.db.engine.migrate` hands over."""

from alembic import context

from service.db.engine import Base

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=Base.metadata,
    # SQLite cannot alter a column in place; Alembic then copies the table.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
