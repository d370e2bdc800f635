"""reply_address of inlet-client makes the reply addresses of the server."""

import json
import os
from datetime import datetime, timezone
from typing import Any

import pytest
from inlet_client import reply_address

# The vectors of the server: test/core/reply/reply-vectors.ts.
REPLIES: dict[str, Any] = json.loads(os.environ["REPLIES"])


def made(**changes: Any) -> str:
    expires_at = datetime.fromtimestamp(REPLIES["expires"], timezone.utc)
    return reply_address(**{**REPLIES["options"], "expires_at": expires_at, **changes})


@pytest.mark.parametrize("sender,address", REPLIES["vectors"])
def test_the_vectors_of_openssl(sender: str | None, address: str) -> None:
    assert made(sender=sender) == address
    assert made(sender=sender and sender.upper()) == address


@pytest.mark.parametrize("wrong", [*REPLIES["refused"], {"expires_at": datetime(2030, 1, 1)}])
def test_refused_as_by_the_api(wrong: dict[str, Any]) -> None:
    with pytest.raises(ValueError):
        made(**wrong)
