"""The image's health check: exits with 0 when the dashboard of this container answers. The image has no curl."""

import http.client  # not urllib, which would ask a proxy
import os
import sys

port = os.environ.get("STREAMLIT_SERVER_PORT", "8501")
base = os.environ.get("STREAMLIT_SERVER_BASE_URL_PATH", "").strip("/")
connection = http.client.HTTPConnection("127.0.0.1", int(port), timeout=4)
try:
    connection.request("GET", f"/{base}/_stcore/health".replace("//", "/"))
    answer = connection.getresponse()
except OSError as why:
    sys.exit(f"port {port} does not answer: {why}")
sys.exit(None if answer.status == 200 else f"port {port} answers {answer.status}")
