# Flask. pip install flask. It verifies Svc-Signature, without a further package.
import hashlib
import hmac
import json
import os
import re
import time
from concurrent.futures import ThreadPoolExecutor

from flask import Flask, request

TOLERANCE_SECONDS = 300
secret = os.environ["WEBHOOK_SECRET"].encode()
workers = ThreadPoolExecutor()
seen = set()  # use your database: a unique index on event_id
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 64 * 1024 * 1024


def work(email):
    print(email["event_id"], email["headers"]["subject"], flush=True)


def is_from_inlet(header, body):
    """v1,t=<unix seconds>,s=<hex>, with a second s= while the secret is rotated"""
    found = re.match("v1,t=([0-9]{1,12}),", header)
    if not found or abs(time.time() - int(found[1])) > TOLERANCE_SECONDS:
        return False
    expected = hmac.new(secret, found[1].encode() + b"." + body, hashlib.sha256).hexdigest()
    given = re.findall(",s=([0-9a-f]{64})", header)
    return any(hmac.compare_digest(signature, expected) for signature in given)


@app.post("/")
def receive():
    body = request.get_data()  # the raw body: its bytes are signed
    if not is_from_inlet(request.headers.get("Svc-Signature", ""), body):
        return "", 401
    email = json.loads(body)
    if email["event_id"] not in seen and not email.get("is_test"):  # a sample
        seen.add(email["event_id"])
        workers.submit(work, email)  # after the response
    return "", 204


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", "3000")))
