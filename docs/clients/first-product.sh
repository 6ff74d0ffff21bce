#!/bin/sh
# STOREFRONT_KEY=... sh first-product.sh image.png: needs curl and jq
set -eu
if [ -z "${STOREFRONT_KEY:-}" ] || [ ! -r "${1:-}" ]; then
  echo 'Usage: STOREFRONT_KEY=... sh first-product.sh image.png' >&2
  exit 2
fi
url=${STOREFRONT_URL:-http://localhost:3000}/api/v1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
response=$work/response
random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Writes the body to $response. Retries temporary failures, up to 5 attempts: after Retry-After, or
# 1, 2, 4, 8 s plus jitter
send_with_retries() {
  for pause in 1 2 4 8 ''; do
    : > "$work/head"
    : > "$response"
    status=$(curl -sSL -m 60 -D "$work/head" -o "$response" -w '%{http_code}' "$@") || status=lost
    after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/head")
    case "$status $after" in
      2*) return ;;
      lost* | 429* | 503* | 504* | *[0-9]\ [0-9]*) test -z "$pause" || sleep "${after:-$pause}.$(random | tr -dc 0-9)" ;;
      *) break ;;
    esac
  done
  echo "$status: $(cat "$response")" >&2
  exit 1
}
api() { send_with_retries -H "Authorization: Bearer $STOREFRONT_KEY" "$@"; }
# One key for all attempts, so that the request is executed at most once
post() {
  cat > "$work/body"
  api -H 'Content-Type: application/json' -H "Idempotency-Key: $(random)" --data-binary "@$work/body" "$1"
}

api "$url/user"
jq -r '"You are \(.user.name)."' "$response"
api "$url/items"
jq -r '.items[] | "\(.id)  \(.humanizeName)  from \(.minPriceWithTax)"' "$response"
item=$(jq '.items[0].id' "$response")

jq -n '{text: "Hello,\nworld"}' | post "$url/materials/text"
jq -r '.products[] | "Product \(.id): \(.title), \(.priceWithTax), \(.sampleImageUrl)"' "$response"
base64 < "$1" | tr -d '\n' | jq -R --argjson item "$item" \
  '{title: "My image", texture: "data:;base64,\(.)", products: [{itemId: $item, published: true}]}' |
  post "$url/materials"
jq -r '.products[] | "Product \(.id): \(.title), \(.priceWithTax), \(.sampleImageUrl)"' "$response"

id=$(jq '.products[0].id' "$response")
# The first request of an image renders it
send_with_retries "$(jq -r '.products[0].sampleImageUrl' "$response")"
cp "$response" "product-$id.webp"
echo "product-$id.webp has $(wc -c < "product-$id.webp") bytes."
jq -n '{count: 1}' | post "$url/products/$id/favorites"
jq -r '"Favorites: \(.meta.totalCount)"' "$response"
