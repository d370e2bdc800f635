"""What django-anymail reads of webhooks, each a line of JSON, as Django would call it."""
import base64
import json
import sys
import warnings

import django
from django.conf import settings

warnings.simplefilter("ignore")
settings.configure(
    ALLOWED_HOSTS=["*"],
    DATA_UPLOAD_MAX_MEMORY_SIZE=None,
    DATA_UPLOAD_MAX_NUMBER_FIELDS=None,
    INSTALLED_APPS=["anymail"],
    ROOT_URLCONF="anymail.urls",
    SECRET_KEY="x",
    ANYMAIL={
        "WEBHOOK_SECRET": "user:password",
        "MAILGUN_WEBHOOK_SIGNING_KEY": sys.argv[1],
    },
)
django.setup()

from anymail.signals import inbound
from django.test import Client

BASIC = "Basic " + base64.b64encode(b"user:password").decode()
events = []


def keep(sender, event, esp_name, **kwargs):
    events.append(event)


inbound.connect(keep)


def file_of(part):
    # an email within the email has been parsed, and would be written again
    content = None if part.get_content_maintype() == "message" else part.get_content_bytes()
    return {
        "name": part.get_filename(),
        "type": part.get_content_type(),
        "bytes": base64.b64encode(content).decode() if content is not None else None,
        "id": part["Content-ID"],
    }


def parts_of(part):
    """Without those of an email within the email, which walk() of anymail enters."""
    yield part
    if part.get_content_maintype() == "multipart" and part.is_multipart():
        for one in part.get_payload():
            yield from parts_of(one)


def shown(addresses):
    return [[one.display_name, one.addr_spec] for one in addresses]


def read(event):
    message = event.message
    author = message.from_email
    parts = list(parts_of(message))
    return {
        "from": shown(author if isinstance(author, list) else [author] if author else []),
        "to": shown(message.to),
        "cc": shown(message.cc),
        "bcc": shown(message.bcc),
        "subject": message.subject,
        "text": message.text,
        "html": message.html,
        "attachments": [file_of(one) for one in parts if one.is_attachment()],
        "inlines": [file_of(one) for one in parts if one.is_inline()],
        "envelope_sender": message.envelope_sender,
        "envelope_recipient": message.envelope_recipient,
        "stripped_text": message.stripped_text,
        "spam_detected": message.spam_detected,
        "spam_score": message.spam_score,
        "date": message.date.isoformat() if message.date else None,
        "headers": [name for name, _ in message.items()],
    }


for line in sys.stdin:
    webhook = json.loads(line)
    events.clear()
    try:
        response = Client(raise_request_exception=True).post(
            f"/{webhook['service']}/inbound/",
            data=base64.b64decode(webhook["body"]),
            content_type=webhook["contentType"],
            headers={"Authorization": BASIC},
        )
        assert response.status_code == 200, response.status_code
        assert len(events) == 1, len(events)
        result = read(events[0])
    except Exception as error:
        result = {"exception": f"{type(error).__name__}: {error}"}
    print(json.dumps(result), flush=True)
