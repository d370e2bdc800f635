"""Verifies webhooks: Standard Webhooks with a secret (`v1`) or a public key (`v1a`), or Svc-Signature.

See https://github.com/inlet-email/inlet/blob/main/docs/receiving-webhooks.md.
"""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import json
import re
import time
from collections.abc import Mapping, Sequence
from typing import Any, Literal, cast

from . import types as t
from .errors import WebhookVerificationError

TOLERANCE = 300
# Inlet sends two at most for each scheme. A forged header could hold thousands.
_SIGNATURES_MAX = 8
# Makes the key of questions to deciding hooks.
_QUESTION_LABEL = b"inlet deciding hook"


def verify_webhook(
    raw_body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> t.WebhookPayload:
    """The email that Inlet sent to the webhook URL of an address.

    `raw_body`: the bytes of the request, not JSON that was parsed and serialized again.
    `headers`: of the request, in any case.
    `secrets`: `whsec_…` of the address, or `whpk_…` of a receiver with `signing: "ed25519"`, which
    needs `pip install cryptography`. Several while it is rotated.
    `tolerance`: seconds that the time of the attempt may differ from this clock.

    Raises WebhookVerificationError when the request is not from Inlet or too old, and ValueError for
    what is no secret.
    """
    found = _verified("webhook", raw_body, headers, secrets, tolerance, now)
    return cast("t.WebhookPayload", found)


def verify_hook(
    raw_body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> t.WebhookPayload:
    """The same for a deciding hook: the email about which it is asked.

    It takes the same secrets and verifies with keys made of them, so that no webhook passes for a
    question, and no question for a webhook.
    """
    found = _verified("hook", raw_body, headers, secrets, tolerance, now)
    return cast("t.WebhookPayload", found)


def verify_notification(
    raw_body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    *,
    tolerance: float = TOLERANCE,
    now: float | None = None,
) -> t.NotificationPayload:
    """The same for the URL of a notification. Its `type` says what happened."""
    found = _verified("webhook", raw_body, headers, secrets, tolerance, now)
    return cast("t.NotificationPayload", found)


def _verified(
    purpose: Literal["webhook", "hook"],
    raw_body: bytes | str,
    headers: Mapping[str, str],
    secrets: str | Sequence[str],
    tolerance: float,
    now: float | None,
) -> Any:
    named = [secrets] if isinstance(secrets, str) else secrets
    is_hook = purpose == "hook"
    keys = [_key(secret, is_hook) for secret in named]
    header_id, sent_at, given = _signature(headers)
    if not re.fullmatch("[0-9]{1,12}", sent_at):
        raise WebhookVerificationError("timestamp", "The timestamp is not a Unix time")
    if abs((time.time() if now is None else now) - int(sent_at)) > tolerance:
        message = "The timestamp is too old, or in the future"
        raise WebhookVerificationError("timestamp", message)
    body = raw_body.encode() if isinstance(raw_body, str) else raw_body
    head = f"{sent_at}." if header_id is None else f"{header_id}.{sent_at}."
    message_bytes = head.encode("utf-8", "surrogatepass") + body
    if not any(_matches(key, message_bytes, header_id is None, is_hook, given) for key in keys):
        raise WebhookVerificationError("signature", "The signature does not match")
    try:
        return json.loads(body)
    except ValueError as error:
        raise WebhookVerificationError("body", "The body is not JSON") from error


def _signature(headers: Mapping[str, str]) -> tuple[str | None, str, list[str]]:
    """Id, time and signatures. Without an id for Svc-Signature, which covers the time and the body."""
    fields = {name.lower(): value for name, value in headers.items()}
    event_id, sent_at, signature = (
        fields.get(f"webhook-{name}") or "" for name in ("id", "timestamp", "signature")
    )
    version, *elements = (fields.get("svc-signature") or "").split(",")
    if not signature and version == "v1":
        sent_at = next((one[2:] for one in elements if one.startswith("t=")), "")
        return None, sent_at, [one for one in elements if one.startswith("s=")][:_SIGNATURES_MAX]
    if not event_id or not sent_at or not signature:
        raise WebhookVerificationError("header", "A webhook-* header is missing")
    return event_id, sent_at, signature.split(" ")[:_SIGNATURES_MAX]


# Version, decoded key, and the secret as text: the key of Svc-Signature.
_Key = tuple[str, bytes, bytes]


def _key(secret: str, is_hook: bool) -> _Key:
    for prefix, version in (("whsec_", "v1"), ("whpk_", "v1a")):
        key = _decoded(secret.removeprefix(prefix)) if secret.startswith(prefix) else None
        if key and is_hook and version == "v1":
            derived = hmac.new(secret.encode(), _QUESTION_LABEL, hashlib.sha256).digest()
            return version, derived, b"whsec_" + base64.b64encode(derived)
        if key:
            return version, key, secret.encode()
    raise ValueError("A webhook secret begins with whsec_, a public key with whpk_")


def _matches(
    key: _Key, message: bytes, is_svc: bool, is_hook: bool, given: Sequence[str]
) -> bool:
    version, value, whole = key
    if is_svc:
        digest = hmac.new(whole, message, hashlib.sha256).hexdigest()
        hexes = [one[2:] for one in given if re.fullmatch("s=[0-9a-f]{64}", one)]
        return version == "v1" and any([hmac.compare_digest(digest, one) for one in hexes])
    signatures = [
        decoded
        for one in given
        if one.startswith(f"{version},") and (decoded := _decoded(one.removeprefix(f"{version},")))
    ]
    if version == "v1a":
        if is_hook:
            message = hashlib.sha256(_QUESTION_LABEL + b"." + message).digest()
        return any(_matches_ed25519(value, message, one) for one in signatures)
    expected = hmac.new(value, message, hashlib.sha256).digest()
    return any([hmac.compare_digest(expected, one) for one in signatures])


def _matches_ed25519(key: bytes, message: bytes, signature: bytes) -> bool:
    try:
        from cryptography.exceptions import InvalidSignature
        from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey
    except ImportError as error:
        raise ImportError("Public keys need: pip install cryptography") from error
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(signature, message)
        return True
    except (InvalidSignature, ValueError):
        return False


def _decoded(text: str) -> bytes | None:
    try:
        return base64.b64decode(text, validate=True)
    except (binascii.Error, ValueError):
        return None
