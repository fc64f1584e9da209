"""What every place for images can do, and how images are called there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final, Protocol

if TYPE_CHECKING:
    import datetime as dt

    from service.settings import Settings

SUFFIXES: Final = {
    "image/jpeg": ".jpg",
    "image/png": ".png",
    "image/bmp": ".bmp",
    "image/tiff": ".tif",
    "image/webp": ".webp",
}


class ImageStore(Protocol):
    def put(self, key: str, data: bytes, media_type: str) -> None:
        """Store an image so that it survives a loss of power.

        Raises:
            StoreUnavailable: it could not be stored.
        """

    def read(self, key: str) -> bytes:
        """An image, as it was put.

        Raises:
            ImageNotFound: it is not there.
            StoreUnavailable: the store does not answer.
        """

    def delete(self, keys: Sequence[str]) -> None:
        """Remove images; one that is gone already stays so.

        Raises:
            StoreUnavailable: one at least is still there.
        """


def key_of(inspection_id: str, received_at: dt.datetime, media_type: str) -> str:
    """Where the image of an inspection is: by day, so that no folder grows without end."""
    return f"{received_at:%Y/%m/%d}/{inspection_id}{SUFFIXES[media_type]}"


def open_store(settings: Settings) -> ImageStore:
    """The bucket if one is set, otherwise the folder.

    Raises:
        SettingsInvalid: the bucket cannot be used.
    """
    if settings.s3.bucket:
        from service.images.bucket import ImageBucket  # noqa: PLC0415 (boto3, which only this needs)

        return ImageBucket(settings.s3, settings.s3.bucket)
    from service.images.folder import ImageFolder  # noqa: PLC0415

    return ImageFolder(settings.images)
