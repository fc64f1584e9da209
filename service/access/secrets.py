"""Keys, session tokens and passwords. What is stored of them does not let anybody in."""

from __future__ import annotations

import hashlib
import secrets
from typing import Final

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerificationError

from service.errors import ValueInvalid

KEY_PREFIX: Final = "pp_"
"""By which a key that was published by mistake is found."""

PASSWORD_LENGTHS: Final = range(12, 201)
_HASHER: Final = PasswordHasher()  # Argon2id with the parameters of RFC 9106, section 4, for little memory
_NOBODYS: Final = _HASHER.hash(secrets.token_urlsafe(16))


def new_key() -> str:
    return KEY_PREFIX + secrets.token_urlsafe(32)


def new_token() -> str:
    return secrets.token_urlsafe(32)


def digest(secret: str) -> str:
    """What is stored of a key or a token: 256 random bits need no slow hash."""
    return hashlib.sha256(secret.encode()).hexdigest()


def csrf_token(session_token: str) -> str:
    """What a page of the session sends along with a change: only who was given it, or has the cookie, knows it."""
    return hashlib.sha256(b"csrf:" + session_token.encode()).hexdigest()


def hash_password(password: str) -> str:
    """Raises ValueInvalid: too short or too long."""
    if len(password) not in PASSWORD_LENGTHS:
        raise ValueInvalid(
            f"a password has {PASSWORD_LENGTHS[0]} to {PASSWORD_LENGTHS[-1]} characters, this one {len(password)}"
        )
    return _HASHER.hash(password)


def password_fits(password: str, stored: str | None) -> bool:
    """Takes the same time whether there is a password to compare with or not: it does not tell who exists."""
    try:
        return _HASHER.verify(stored or _NOBODYS, password) and stored is not None
    except (VerificationError, InvalidHashError):
        return False
