# FastAPI. pip install fastapi uvicorn standardwebhooks
import os

import uvicorn
from fastapi import BackgroundTasks, FastAPI, Request, Response
from standardwebhooks.webhooks import Webhook

MAX_BODY_BYTES = 64 * 1024 * 1024
webhook = Webhook(os.environ["WEBHOOK_SECRET"])
seen = set()  # use your database: a unique index on event_id
app = FastAPI()


def work(email):
    print(email["event_id"], email["headers"]["subject"], flush=True)


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
    if email["event_id"] not in seen:
        seen.add(email["event_id"])
        later.add_task(work, email)  # after the response
    return Response(status_code=204, background=later)


if __name__ == "__main__":
    uvicorn.run(app, host="0.0.0.0", port=int(os.environ.get("PORT", "3000")))
