"""Check digits at the end of a printed number."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, Literal

from stdnum import ean, luhn
from stdnum.iso7064 import mod_11_10, mod_37_36, mod_97_10

CheckDigit = Literal["gs1", "luhn", "mod_11_10", "mod_37_36", "mod_97_10"]

# Each gives the right check digits for what stands before them, and how many they are.
_RULES: Final[dict[CheckDigit, tuple[Callable[[str], str], int]]] = {
    "gs1": (ean.calc_check_digit, 1),  # GTIN, SSCC, GLN: GS1 General Specifications, section 7.9
    "luhn": (luhn.calc_check_digit, 1),  # ISO/IEC 7812-1
    "mod_11_10": (mod_11_10.calc_check_digit, 1),  # ISO/IEC 7064
    "mod_37_36": (mod_37_36.calc_check_digit, 1),
    "mod_97_10": (mod_97_10.calc_check_digits, 2),
}


def check_digit_fault(value: str, rule: CheckDigit) -> str | None:
    """What is wrong with the check digits of a number; None if they are right."""
    calculate, length = _RULES[rule]
    body, digits = value[:-length], value[-length:]
    try:
        right = calculate(body.upper())
    except ValueError:
        return f"{value!r} can have no {rule} check digit"
    return (
        None if body and digits.upper() == right else f"check digit {digits!r} is wrong, {right!r} is right"
    )
