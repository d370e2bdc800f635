"""Formats of our OpenAPI document that schemathesis does not know."""
import schemathesis
from hypothesis import strategies

schemathesis.openapi.format("time-zone", strategies.sampled_from(["UTC", "Europe/Berlin", "America/New_York", "Asia/Kolkata"]))
