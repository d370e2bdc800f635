"""Signed reply addresses, made without a request. The format is in docs/reply-addresses.md of Inlet."""

from __future__ import annotations

import hmac
import re
import unicodedata
from base64 import b32hexencode
from collections.abc import Sequence
from datetime import datetime

_REFERENCE = re.compile(r"[a-z0-9_-]{1,60}")
# A local part, an @, and a domain in the form of the DNS.
_SENDER = re.compile(r"[^@\s]+@[a-z0-9.-]+")
_LOCAL_PART_MAX_BYTES = 64  # RFC 5321 §4.5.3.1.1


def reply_address(
    *,
    key: str,
    address_id: str,
    mailbox: str,
    reference: str,
    expires_at: datetime,
    sender: str | None = None,
) -> str:
    """The address to which replies that belong to `reference` are sent.

    `key`: `rkey_…`, see `addresses.get_reply_key`.
    `mailbox`: the address that gets the tag. For a catch-all, a mailbox of its domain.
    `reference`: lower-case letters, digits, `-` and `_`.
    `expires_at`: with a time zone.
    `sender`: whose replies are `bound`; anybody's when it is absent.
    Raises a `ValueError` when the API would refuse it: a wrong reference or sender, or too long.
    """
    if not _REFERENCE.fullmatch(reference):
        raise ValueError("reference must be 1 to 60 of a-z, 0-9, _, -")
    if expires_at.tzinfo is None:
        raise ValueError("expires_at must have a time zone")
    parts = [reference, f"{int(expires_at.timestamp()):08x}"]
    if sender is not None:
        normalized = _nfc(_nfc(sender).lower())
        if not _SENDER.fullmatch(normalized):
            raise ValueError("sender must be like ann@example.com (xn--…)")
        parts.append(_mac(key, [address_id, *parts, normalized], 5))
    parts.append(_mac(key, [address_id, *parts], 10))
    name, _, domain = mailbox.partition("@")
    local = f"{name}+r{'.'.join(parts)}"
    if len(local.encode()) > _LOCAL_PART_MAX_BYTES:
        raise ValueError(f"the part before the @ has more than {_LOCAL_PART_MAX_BYTES} characters")
    return f"{local}@{domain}"


def _nfc(text: str) -> str:
    return unicodedata.normalize("NFC", text)


def _mac(key: str, fields: Sequence[str], size: int) -> str:
    """Base 32 (RFC 4648 §7) of the first bytes of the HMAC."""
    digest = hmac.digest(key.encode(), "|".join(fields).encode(), "sha256")
    return b32hexencode(digest[:size]).decode().lower()
