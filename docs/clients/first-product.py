# STOREFRONT_KEY=... python3 first-product.py image.png
import base64
import http.client
import json
import os
import pathlib
import random
import sys
import time
import urllib.error
import urllib.request
import uuid

key = os.environ.get("STOREFRONT_KEY")
url = os.environ.get("STOREFRONT_URL", "http://localhost:3000")
if not key or len(sys.argv) != 2 or not pathlib.Path(sys.argv[1]).is_file():
    sys.exit("Usage: STOREFRONT_KEY=... python3 first-product.py image.png")


def send_with_retries(request):
    """Returns the body. Retries temporary failures, up to 5 attempts.

    Waits for Retry-After, or 1, 2, 4, 8 s plus jitter.
    """
    for pause in (1, 2, 4, 8, None):
        try:
            with urllib.request.urlopen(request, timeout=60) as response:
                return response.read()
        except urllib.error.HTTPError as error:
            problem = f"{error.code}: {error.read().decode()}"
            wait = error.headers["Retry-After"] or (pause if error.code in (429, 503, 504) else None)
        except (OSError, http.client.HTTPException) as error:
            problem, wait = str(error), pause
        if wait is None or pause is None:
            sys.exit(problem)
        time.sleep(float(wait) + random.random())


def api(method, path, body=None):
    headers = {"Authorization": f"Bearer {key}"}
    if body:
        # One key for all attempts, so that the request is executed at most once
        headers.update({"Content-Type": "application/json", "Idempotency-Key": str(uuid.uuid4())})
    data = json.dumps(body).encode() if body else None
    return json.loads(send_with_retries(urllib.request.Request(f"{url}/api/v1{path}", data, headers, method=method)))


print(f"You are {api('GET', '/user')['user']['name']}.")
items = api("GET", "/items")["items"]
for item in items:
    print(f"{item['id']}  {item['humanizeName']}  from {item['minPriceWithTax']}")

text = api("POST", "/materials/text", {"text": "Hello,\nworld"})
texture = "data:;base64," + base64.b64encode(pathlib.Path(sys.argv[1]).read_bytes()).decode()
products = [{"itemId": items[0]["id"], "published": True}]
image = api("POST", "/materials", {"title": "My image", "texture": texture, "products": products})
for product in text["products"] + image["products"]:
    print(f"Product {product['id']}: {product['title']}, {product['priceWithTax']}, {product['sampleImageUrl']}")

product = image["products"][0]
# The first request of an image renders it
rendered = pathlib.Path(f"product-{product['id']}.webp")
rendered.write_bytes(send_with_retries(product["sampleImageUrl"]))
print(f"{rendered} has {rendered.stat().st_size} bytes.")
favorite = api("POST", f"/products/{product['id']}/favorites", {"count": 1})
print(f"Favorites: {favorite['meta']['totalCount']}")
