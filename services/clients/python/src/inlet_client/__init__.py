"""The client of Inlet, which turns email into signed webhooks."""

from . import types
from ._async_transport import AsyncListing
from ._pull import PulledEmail, RejectEmail
from ._request import CallOptions
from ._transport import Listing
from ._wait import AwaitedEmail
from .async_client import AsyncInlet
from .client import Inlet
from .errors import InletError, WebhookVerificationError
from .reply import reply_address
from .types import VERSION as __version__
from .webhooks import verify_hook, verify_notification, verify_webhook

__all__ = [
    "AsyncInlet",
    "AsyncListing",
    "AwaitedEmail",
    "CallOptions",
    "Inlet",
    "InletError",
    "Listing",
    "PulledEmail",
    "RejectEmail",
    "WebhookVerificationError",
    "__version__",
    "reply_address",
    "types",
    "verify_hook",
    "verify_notification",
    "verify_webhook",
]
