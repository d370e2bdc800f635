# Django, in one file. pip install django standardwebhooks
import os
from concurrent.futures import ThreadPoolExecutor

from django.conf import settings
from django.core.management import execute_from_command_line
from django.http import HttpResponse
from django.urls import path
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_POST
from standardwebhooks.webhooks import Webhook

webhook = Webhook(os.environ["WEBHOOK_SECRET"])
workers = ThreadPoolExecutor()
seen = set()  # use your database: a unique index on event_id


def work(email):
    print(email["event_id"], email["headers"]["subject"], flush=True)


@csrf_exempt
@require_POST
def receive(request):
    try:  # request.body is the raw body: its bytes are signed
        email = webhook.verify(request.body, dict(request.headers))
    except Exception:  # malformed headers raise more than WebhookVerificationError
        return HttpResponse(status=401)
    if email["event_id"] not in seen and not email.get("is_test"):  # a sample
        seen.add(email["event_id"])
        workers.submit(work, email)  # after the response
    return HttpResponse(status=204)


if __name__ == "__main__":  # in a project: settings.py, urls.py and your server do the rest
    urlpatterns = [path("", receive)]
    limit = 64 * 1024 * 1024  # Django's own is 2.5 MB
    settings.configure(ROOT_URLCONF=__name__, ALLOWED_HOSTS=["*"], DATA_UPLOAD_MAX_MEMORY_SIZE=limit)
    bind = f"0.0.0.0:{os.environ.get('PORT', '3000')}"
    execute_from_command_line(["django", "runserver", "--noreload", bind])
