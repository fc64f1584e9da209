"""Every error of the product, named as the fact it states, with a stable `code`.

    PrintProofError
     ├─ ConfigurationError        the process cannot start: the message says what mends it
     │   ├─ SettingsInvalid
     │   ├─ WeightsMissing, WeightsAltered, BundleUnknown
     │   ├─ RuntimeUnavailable, DeviceUnavailable
     │   ├─ AddressInUse
     │   └─ DatabaseOutdated, DatabaseUnusable
     ├─ InvalidInput              what was sent cannot be used; sending it again will not help
     │   ├─ RequestMalformed, ValueInvalid
     │   ├─ ImageMissing, ImageTooLarge, ImageTypeUnsupported, ImageUndecodable
     │   ├─ RecipeInvalid
     │   ├─ ExpectedValueMissing, ExpectedValueUnknown, ExpectedValueInvalid
     │   ├─ IdempotencyKeyReused
     │   └─ SampleUnfit
     ├─ AccessDenied              who asks may not have it
     │   ├─ Unauthenticated, LogInRefused, LogInLimited
     │   └─ Forbidden, CsrfTokenInvalid
     ├─ NotFound
     │   ├─ RecipeNotFound, StationNotFound
     │   ├─ InspectionNotFound, ImageNotFound
     │   └─ KeyNotFound, UserNotFound
     ├─ Conflict                  it would undo what another has done
     │   ├─ VersionConflict, RecipeFromFile
     │   └─ NameTaken, IdempotencyKeyInFlight
     └─ Unavailable               the request was good; the line must not take the part as passed
         ├─ NotReady, QueueFull
         ├─ DeadlinePassed, EngineFailed
         └─ StoreUnavailable

Nothing here knows of HTTP; `service.api.problems` maps codes to statuses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar

if TYPE_CHECKING:
    from collections.abc import Sequence


class PrintProofError(Exception):
    """Base of every error that is meant to reach a user."""

    code: ClassVar[str] = "internal_error"


class ConfigurationError(PrintProofError):
    code = "configuration_error"


class SettingsInvalid(ConfigurationError):
    code = "settings_invalid"


class BundleUnknown(ConfigurationError):
    code = "bundle_unknown"


class WeightsMissing(ConfigurationError):
    code = "weights_missing"


class WeightsAltered(ConfigurationError):
    code = "weights_altered"


class RuntimeUnavailable(ConfigurationError):
    code = "runtime_unavailable"


class DeviceUnavailable(ConfigurationError):
    code = "device_unavailable"


class DatabaseOutdated(ConfigurationError):
    code = "database_outdated"


class DatabaseUnusable(ConfigurationError):
    code = "database_unusable"


class AddressInUse(ConfigurationError):
    code = "address_in_use"


class InvalidInput(PrintProofError):
    code = "invalid_input"


class RequestMalformed(InvalidInput):
    code = "request_malformed"


class ValueInvalid(InvalidInput):
    code = "value_invalid"


class ImageMissing(InvalidInput):
    code = "image_missing"


class ImageTooLarge(InvalidInput):
    code = "image_too_large"


class ImageTypeUnsupported(InvalidInput):
    code = "image_type_unsupported"


class ImageUndecodable(InvalidInput):
    code = "image_undecodable"


class RecipeInvalid(InvalidInput):
    """A recipe file that cannot be used; `issues` holds every fault found, one line each."""

    code = "recipe_invalid"

    def __init__(self, source: str, issues: Sequence[str]) -> None:
        self.source = source
        self.issues = tuple(issues)
        super().__init__("\n".join(f"{source}:{issue}" for issue in self.issues))


class ExpectedValueMissing(InvalidInput):
    code = "expected_value_missing"


class ExpectedValueUnknown(InvalidInput):
    code = "expected_value_unknown"


class ExpectedValueInvalid(InvalidInput):
    code = "expected_value_invalid"


class SampleUnfit(InvalidInput):
    code = "sample_unfit"


class IdempotencyKeyReused(InvalidInput):
    code = "idempotency_key_reused"


class AccessDenied(PrintProofError):
    code = "access_denied"


class Unauthenticated(AccessDenied):
    code = "unauthenticated"


class LogInRefused(AccessDenied):
    code = "log_in_refused"


class LogInLimited(AccessDenied):
    """Too many log-ins have failed; the next one is looked at after `wait_s` seconds."""

    code = "log_in_limited"

    def __init__(self, message: str, wait_s: int) -> None:
        super().__init__(message)
        self.wait_s = wait_s


class Forbidden(AccessDenied):
    code = "forbidden"


class CsrfTokenInvalid(AccessDenied):
    code = "csrf_token_invalid"


class NotFound(PrintProofError):
    code = "not_found"


class RecipeNotFound(NotFound):
    code = "recipe_not_found"


class StationNotFound(NotFound):
    code = "station_not_found"


class InspectionNotFound(NotFound):
    code = "inspection_not_found"


class ImageNotFound(NotFound):
    code = "image_not_found"


class KeyNotFound(NotFound):
    code = "key_not_found"


class UserNotFound(NotFound):
    code = "user_not_found"


class Conflict(PrintProofError):
    code = "conflict"


class VersionConflict(Conflict):
    code = "version_conflict"


class RecipeFromFile(Conflict):
    code = "recipe_from_file"


class NameTaken(Conflict):
    code = "name_taken"


class IdempotencyKeyInFlight(Conflict):
    code = "idempotency_key_in_flight"


class Unavailable(PrintProofError):
    """`reject` tells the line what to do with the part; `inspection_id` is set where a row was stored all the same."""

    code = "unavailable"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.reject = True
        self.inspection_id: str | None = None


class NotReady(Unavailable):
    code = "not_ready"


class QueueFull(Unavailable):
    code = "queue_full"


class DeadlinePassed(Unavailable):
    code = "deadline_passed"


class EngineFailed(Unavailable):
    code = "engine_failed"


class StoreUnavailable(Unavailable):
    code = "store_unavailable"
