"""Images in a bucket of S3, or of anything that speaks its protocol; credentials come as boto3 finds them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from service.errors import ImageNotFound, RuntimeUnavailable, SettingsInvalid, StoreUnavailable

try:
    import boto3
    from botocore.config import Config
    from botocore.exceptions import BotoCoreError, ClientError
except ImportError:
    raise RuntimeUnavailable("PRINTPROOF_S3__BUCKET needs boto3; run: pip install 'printproof[s3]'") from None

if TYPE_CHECKING:
    from service.settings import S3Settings

_KEYS_AT_ONCE: Final = 1000  # https://docs.aws.amazon.com/AmazonS3/latest/API/API_DeleteObjects.html
# A line waits for each image: an answer late is an answer lost.
_CONFIG: Final = Config(
    connect_timeout=3,
    read_timeout=10,
    max_pool_connections=64,
    retries={"mode": "standard", "max_attempts": 2},
)


class ImageBucket:
    """Raises SettingsInvalid if the bucket is not there or may not be used."""

    def __init__(self, settings: S3Settings, bucket: str) -> None:
        self._bucket, self._prefix = bucket, settings.prefix
        try:
            self._client: Any = boto3.client(
                "s3", endpoint_url=settings.endpoint_url, region_name=settings.region, config=_CONFIG
            )
            self._client.head_bucket(Bucket=bucket)
        except (BotoCoreError, ClientError, ValueError) as error:
            raise SettingsInvalid(f"PRINTPROOF_S3__BUCKET: {bucket} cannot be used: {error}") from None

    def put(self, key: str, data: bytes, media_type: str) -> None:
        try:
            self._client.put_object(
                Bucket=self._bucket, Key=self._prefix + key, Body=data, ContentType=media_type
            )
        except (BotoCoreError, ClientError) as error:
            raise StoreUnavailable(f"the image cannot be stored: {error}") from error

    def read(self, key: str) -> bytes:
        try:
            data: bytes = self._client.get_object(Bucket=self._bucket, Key=self._prefix + key)["Body"].read()
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") == "NoSuchKey":
                raise ImageNotFound("the image of this inspection is no longer stored") from None
            raise StoreUnavailable(f"the image cannot be read: {error}") from error
        except BotoCoreError as error:
            raise StoreUnavailable(f"the image cannot be read: {error}") from error
        return data

    def delete(self, keys: Sequence[str]) -> None:
        try:
            for start in range(0, len(keys), _KEYS_AT_ONCE):
                objects = [{"Key": self._prefix + key} for key in keys[start : start + _KEYS_AT_ONCE]]
                answer = self._client.delete_objects(Bucket=self._bucket, Delete={"Objects": objects})
                if answer.get("Errors"):
                    raise StoreUnavailable(f"an image cannot be deleted: {answer['Errors'][0]}")
        except (BotoCoreError, ClientError) as error:
            raise StoreUnavailable(f"images cannot be deleted: {error}") from error
