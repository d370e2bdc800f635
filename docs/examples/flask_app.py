# Flask. pip install flask standardwebhooks
import os
from concurrent.futures import ThreadPoolExecutor

from flask import Flask, request
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
workers = ThreadPoolExecutor()
seen = set()  # use your database: a unique index on event_id
app = Flask(__name__)
app.config["MAX_CONTENT_LENGTH"] = 64 * 1024 * 1024


def work(email):
    print(email["event_id"], email["headers"]["subject"], flush=True)


@app.post("/")
def receive():
    body = request.get_data()  # the raw body: its bytes are signed
    try:
        email = webhook.verify(body, dict(request.headers))
        if email["event_id"].startswith("ask_"):
            raise ValueError("no webhook, but a question to a hook")
    except Exception:  # malformed headers raise more than WebhookVerificationError
        return "", 401
    if email["event_id"] not in seen and not email.get("is_test"):  # a sample
        seen.add(email["event_id"])
        workers.submit(work, email)  # after the response
    return "", 204


if __name__ == "__main__":
    app.run(host="0.0.0.0", port=int(os.environ.get("PORT", "3000")))
