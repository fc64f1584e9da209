"""The only reader of the environment: variables `PRINTPROOF_*`, groups joined by two underscores.

Every value is checked at start; `docs/settings.md` lists them all (held complete by a test).
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import Annotated, Literal
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from platformdirs import user_data_path
from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field, ValidationError
from pydantic_settings import BaseSettings, NoDecode, SettingsConfigDict

from service.errors import SettingsInvalid

PREFIX = "PRINTPROOF_"
DELIMITER = "__"
MAX_DEADLINE_MS = 60_000
"""Longest wait for a verdict; a stop waits as long for what was admitted."""


class _Group(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class EngineSettings(_Group):
    """What reads the text."""

    bundle: str = Field("ppocr-v6-small", description="Weight bundle, a name of `printproof models list`.")
    device: Literal["auto", "gpu", "cpu"] = Field(
        "auto",
        description="`auto` takes a GPU where the installed runtime can use one and falls back to the CPU "
        "(logged, in the metrics and in `/v1/info`); `gpu` refuses to start without one.",
    )
    threads: int = Field(
        0, ge=0, le=256, description="CPU threads of the runtime; 0 takes the cores granted."
    )
    tensorrt: bool = Field(
        False,
        description="Paddle Inference's TensorRT option, GPU only. Not verified on a GPU by this project.",
    )
    max_batch_size: int = Field(1, ge=1, le=64, description="Images read together; 1 is best on a CPU.")
    max_wait_ms: float = Field(
        0, ge=0, le=1000, description="How long a batch that is not full waits for more images."
    )
    queue_size: int = Field(
        16, ge=1, le=10_000, description="Images being worked on or waiting; more are answered 429."
    )
    hang_after_s: float = Field(
        120, ge=1, le=3600, description="A batch that takes longer makes `/livez` fail."
    )


class LimitSettings(_Group):
    """What one request may ask for."""

    image_max_bytes: int = Field(20 * 2**20, ge=1024, description="Largest image accepted, in bytes.")
    image_max_pixels: int = Field(
        50_000_000, ge=1024, description="Largest image accepted, width times height, before it is decoded."
    )
    deadline_ms: int = Field(
        10_000,
        ge=1,
        le=MAX_DEADLINE_MS,
        description="Wait for a verdict where the request names none (`deadline_ms`).",
    )


class AccessSettings(_Group):
    """Who may use the service."""

    open: bool = Field(
        False,
        description="For development only: whoever reaches the port may do anything, without a key. Warned of at the start.",
    )


def _parse_shifts(value: object) -> object:
    """`early=06:00, late=14:00` as names and minutes after midnight."""
    if not isinstance(value, str):
        return value
    shifts = []
    for part in filter(None, (part.strip() for part in value.split(","))):
        name, _, begin = part.partition("=")
        found = re.fullmatch(r"([01]\d|2[0-3]):([0-5]\d)", begin.strip())
        if not name.strip() or found is None:
            raise ValueError(f"{part!r} is no shift: write name=HH:MM, such as early=06:00")
        shifts.append((name.strip(), int(found[1]) * 60 + int(found[2])))
    if len({name for name, _ in shifts}) != len(shifts) or len({begin for _, begin in shifts}) != len(shifts):
        raise ValueError("two shifts have the same name or the same beginning")
    if len(shifts) == 1:
        raise ValueError("one shift is none: name two or more, or none at all")
    day_begins = shifts[0][1] if shifts else 0
    return tuple(sorted(shifts, key=lambda shift: (shift[1] - day_begins) % 1440))


def _is_a_timezone(value: str) -> str:
    try:
        ZoneInfo(value)
    except (ValueError, OSError, ZoneInfoNotFoundError):
        raise ValueError(f"{value!r} is no time zone, such as Europe/Berlin") from None
    return value


class PlantSettings(_Group):
    """By which clock statistics are told."""

    timezone: Annotated[str, AfterValidator(_is_a_timezone)] = Field(
        "UTC", description="Time zone of hours, days and shifts in statistics, such as `Europe/Berlin`."
    )
    shifts: Annotated[tuple[tuple[str, int], ...], NoDecode, BeforeValidator(_parse_shifts)] = Field(
        (),
        description="Shifts and when they begin, the day's first one first: `early=06:00, late=14:00, night=22:00`.",
    )


class KeepSettings(_Group):
    """What is kept of an inspection."""

    pass_days: float = Field(
        0,
        ge=0,
        description="Days that images of PASS are kept; 0, here and below, is for ever. Results stay.",
    )
    fail_days: float = Field(0, ge=0, description="Days that images of FAIL are kept.")
    review_days: float = Field(
        0, ge=0, description="Days that images of REVIEW are kept, once somebody has decided on them."
    )
    images_max_gb: float = Field(
        0,
        ge=0,
        description="Gigabytes (10^9 bytes) of images; beyond them the oldest are deleted, PASS first. 0 is no limit.",
    )
    evidence: Literal["not_passed", "all"] = Field(
        "not_passed",
        description="Whose scores and states of each character are stored: all, or of what did not pass.",
    )


class S3Settings(_Group):
    """A bucket for images; credentials come as boto3 finds them (AWS_ACCESS_KEY_ID and so on, or a role)."""

    bucket: str | None = Field(
        None, description="Keep images in this S3 bucket, not in a folder (needs `printproof[s3]`)."
    )
    prefix: str = Field("", description="What the names of images begin with there, such as `plant-1/`.")
    endpoint_url: str | None = Field(None, description="Address of a store that is not Amazon's.")
    region: str | None = Field(None, description="Region of the bucket.")


class Settings(BaseSettings):
    """All settings of the service."""

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_nested_delimiter=DELIMITER, extra="forbid", frozen=True, env_ignore_empty=True
    )

    host: str = Field(
        "127.0.0.1",
        description="Address to listen on. Loopback unless set: it speaks HTTP, and TLS is a proxy's.",
    )
    port: int = Field(8000, ge=0, le=65535, description="Port to listen on.")
    trusted_proxies: str = Field(
        "",
        description="Addresses of proxies (comma-separated, or networks) whose X-Forwarded-For and X-Forwarded-Proto are "
        "believed: by them log-ins are limited and cookies marked Secure. None unless set.",
    )
    data_dir: Path = Field(
        default_factory=lambda: user_data_path("printproof"),
        description="Folder of results, images and recipes (default: the user's data folder).",
    )
    weights_dir: Path = Field(
        default_factory=lambda: user_data_path("printproof") / "weights",
        description="Folder of the weight bundles (default: `weights` in the user's data folder).",
    )
    database_url: str | None = Field(
        None, description="SQLAlchemy URL (default: the SQLite file `printproof.db` in the data folder)."
    )
    images_dir: Path | None = Field(
        None, description="Folder of inspected images (default: `images` in the data folder)."
    )
    recipes_dir: Path | None = Field(
        None, description="Folder of recipe files (default: `recipes` in the data folder)."
    )
    log_level: Literal["debug", "info", "warning", "error"] = Field(
        "info", description="Least severe level logged."
    )
    log_format: Literal["json", "text"] = Field(
        "json", description="One JSON object a line, or text for people."
    )
    engine: EngineSettings = EngineSettings()
    limits: LimitSettings = LimitSettings()
    access: AccessSettings = AccessSettings()
    plant: PlantSettings = PlantSettings()
    keep: KeepSettings = KeepSettings()
    s3: S3Settings = S3Settings()

    @property
    def database(self) -> str:
        return self.database_url or f"sqlite:///{self.data_dir / 'printproof.db'}"

    @property
    def images(self) -> Path:
        return self.images_dir or self.data_dir / "images"

    @property
    def recipes(self) -> Path:
        return self.recipes_dir or self.data_dir / "recipes"


def variables() -> dict[str, str]:
    """Name -> description of every environment variable that is read."""
    found: dict[str, str] = {}

    def walk(model: type[BaseModel], prefix: str) -> None:
        for name, field in model.model_fields.items():
            group = field.annotation
            if isinstance(group, type) and issubclass(group, BaseModel):
                walk(group, f"{prefix}{name.upper()}{DELIMITER}")
            else:
                found[f"{prefix}{name.upper()}"] = field.description or ""

    walk(Settings, PREFIX)
    return found


def load_settings() -> Settings:
    """Read the environment.

    Raises:
        SettingsInvalid: one line per fault, each naming its variable; also for a `PRINTPROOF_` variable
            that does not exist, since a misspelt limit would otherwise silently not apply.
    """
    known = {name.upper() for name in variables()}
    unknown = sorted(
        name for name in os.environ if name.upper().startswith(PREFIX) and name.upper() not in known
    )
    faults = [f"{name}: there is no such setting" for name in unknown]
    try:
        settings = Settings()
    except ValidationError as error:
        for fault in error.errors():
            name = PREFIX + DELIMITER.join(str(part) for part in fault["loc"]).upper()
            if name not in unknown:
                faults.append(f"{name}: {fault['msg']} (got {fault['input']!r})")
        raise SettingsInvalid("\n".join(faults)) from None
    if faults:
        raise SettingsInvalid("\n".join(faults))
    return settings
