"""Reads calendars, a list of texts as JSON, with the package icalendar: start, end and summary."""
import datetime
import json
import sys

from icalendar import Calendar

UTC = datetime.timezone.utc


def end_of(event):
    if "DTEND" in event:
        return event["DTEND"].dt
    duration = event["DURATION"].dt
    day = event["DTSTART"].dt + datetime.timedelta(days=duration.days)
    # days keep the time of day, hours are exact (RFC 5545 section 3.3.6)
    return day.astimezone(UTC) + datetime.timedelta(seconds=duration.seconds)


def shown(time):
    return time.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


found = []
for text in json.load(sys.stdin):
    event = Calendar.from_ical(text).walk("VEVENT")[0]
    found.append([shown(event["DTSTART"].dt), shown(end_of(event)), str(event["SUMMARY"])])
print(json.dumps(found))
