"""Formats of our OpenAPI document that schemathesis does not know."""
import os

import schemathesis
from hypothesis import strategies

schemathesis.openapi.format(
    "time-zone",
    strategies.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]),
)
schemathesis.openapi.format(
    "local-part",
    strategies.from_regex(r"[a-z][a-z0-9]{3,20}(\.[a-z0-9]{1,10}){0,2}", fullmatch=True),
)
schemathesis.openapi.format("domain-name", strategies.from_regex(r"[a-z][a-z0-9]{1,20}\.example", fullmatch=True))
schemathesis.openapi.format(
    "single-line",
    strategies.text(
        strategies.characters(exclude_categories=["Cc", "Cs"]), min_size=1, max_size=100
    ),
)
schemathesis.openapi.format(
    "cel-condition",
    strategies.sampled_from(["true", "size_bytes > 1000", 'subject.contains("Order")']),
)
schemathesis.openapi.format(
    "sender",
    strategies.sampled_from(["ann@partner.example", "partner.example", "*.partner.example"]),
)
# a certificate and its key, which schemathesis.ts has made
for name, variable in [("pem-certificate", "CERTIFICATE"), ("pem-private-key", "PRIVATE_KEY")]:
    schemathesis.openapi.format(name, strategies.just(os.environ[variable]))
