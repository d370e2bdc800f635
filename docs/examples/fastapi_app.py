# FastAPI. pip install fastapi uvicorn standardwebhooks
import json
import os
import sqlite3
import threading

import uvicorn
from fastapi import BackgroundTasks, FastAPI, Request, Response
from standardwebhooks.webhooks import Webhook

MAX_BODY_BYTES = 64 * 1024 * 1024
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
working = threading.Lock()
app = FastAPI()


def database():  # use your database
    db = sqlite3.connect(os.environ.get("MAIL_DB", "mail.db"))
    db.execute(
        "CREATE TABLE IF NOT EXISTS emails"
        " (event_id TEXT PRIMARY KEY, payload TEXT NOT NULL, is_done INTEGER NOT NULL DEFAULT 0)"
    )
    return db


def store(email):
    with database() as db:
        row = (email["event_id"], json.dumps(email))
        db.execute("INSERT OR IGNORE INTO emails (event_id, payload) VALUES (?, ?)", row)


def work(email):
    print(email["event_id"], email["headers"]["subject"], flush=True)


def work_off():
    with working, database() as db:
        emails = db.execute("SELECT event_id, payload FROM emails WHERE is_done = 0").fetchall()
        for event_id, payload in emails:
            work(json.loads(payload))
            db.execute("UPDATE emails SET is_done = 1 WHERE event_id = ?", (event_id,))
            db.commit()


@app.post("/")
async def receive(request: Request, later: BackgroundTasks):
    length = request.headers.get("content-length", "")
    if not length.isascii() or not length.isdigit() or len(length) > 9 or int(length) > MAX_BODY_BYTES:
        return Response(status_code=413)
    body = await request.body()  # the raw body: its bytes are signed
    try:
        email = webhook.verify(body, dict(request.headers))
    except Exception:  # malformed headers raise more than WebhookVerificationError
        return Response(status_code=401)
    if email.get("is_test"):  # a sample, not an email
        return Response(status_code=204)
    store(email)  # if this fails: 500, and Inlet retries
    later.add_task(work_off)  # after the response
    return Response(status_code=204, background=later)


if __name__ == "__main__":
    threading.Thread(target=work_off).start()  # emails of before a crash
    uvicorn.run(app, host="0.0.0.0", port=int(os.environ.get("PORT", "3000")))
