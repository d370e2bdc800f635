"""verify_webhook of inlet-client: what it accepts, and what it refuses."""

import json
import os
from typing import Any

import pytest
from inlet_client import WebhookVerificationError, verify_hook, verify_notification, verify_webhook

# The webhooks are signed by Inlet: test/clients/python.test.ts.
SIGNED: dict[str, Any] = json.loads(os.environ["SIGNED"])


@pytest.mark.parametrize("case", SIGNED["valid"], ids=lambda case: case["title"])
def test_a_webhook_of_inlet(case: dict[str, Any]) -> None:
    body = SIGNED["body"].encode()
    assert verify_webhook(body, case["headers"], case["secrets"]) == json.loads(body)
    assert verify_notification(body.decode(), case["headers"], case["secrets"])["event_id"]


@pytest.mark.parametrize("case", SIGNED["refused"], ids=lambda case: case["title"])
def test_refuses_what_is_not_from_inlet(case: dict[str, Any]) -> None:
    with pytest.raises(WebhookVerificationError) as caught:
        verify_webhook(SIGNED["body"], case["headers"], case["secrets"])
    assert caught.value.kind == case["kind"]


@pytest.mark.parametrize("case", SIGNED["questions"], ids=lambda case: case["title"])
def test_a_question_to_a_hook_is_no_webhook(case: dict[str, Any]) -> None:
    assert verify_hook(case["body"], case["headers"], case["secrets"])["event_id"] == "ask_1"
    for verify in (verify_webhook, verify_notification):
        with pytest.raises(WebhookVerificationError, match="does not match"):
            verify(case["body"], case["headers"], case["secrets"])


@pytest.mark.parametrize("case", SIGNED["valid"], ids=lambda case: case["title"])
def test_a_webhook_is_no_question(case: dict[str, Any]) -> None:
    with pytest.raises(WebhookVerificationError, match="does not match"):
        verify_hook(SIGNED["body"], case["headers"], case["secrets"])


def test_a_header_that_is_no_text_is_refused() -> None:
    case = SIGNED["valid"][0]
    headers = {**case["headers"], "webhook-id": "\ud800"}
    with pytest.raises(WebhookVerificationError, match="does not match"):
        verify_webhook(SIGNED["body"], headers, case["secrets"])


def test_what_is_no_secret() -> None:
    with pytest.raises(ValueError, match="begins with whsec_"):
        verify_webhook(b"", {}, "secret")
