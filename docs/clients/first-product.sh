#!/bin/sh
# STOREFRONT_KEY=... sh first-product.sh picture.png: needs curl and jq
set -eu
if [ -z "${STOREFRONT_KEY:-}" ] || [ ! -r "${1:-}" ]; then
  echo 'Usage: STOREFRONT_KEY=... sh first-product.sh picture.png' >&2
  exit 2
fi
url=${STOREFRONT_URL:-http://localhost:3000}/api/v1
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
answer=$work/answer
random() { od -An -N16 -tx1 /dev/urandom | tr -d ' \n'; }

# Leaves what curl gets in $answer. What may succeed later is tried 5 times: after Retry-After, or 1, 2, 4, 8 s, and a bit
again() {
  for pause in 1 2 4 8 ''; do
    : > "$work/head"
    : > "$answer"
    status=$(curl -sS -m 60 -D "$work/head" -o "$answer" -w '%{http_code}' "$@") || status=lost
    after=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9]*\).*/\1/p' "$work/head")
    case "$status $after" in
      2*) return ;;
      lost* | 429* | 503* | 504* | *[0-9]\ [0-9]*) test -z "$pause" || sleep "${after:-$pause}.$(random | tr -dc 0-9)" ;;
      *) break ;;
    esac
  done
  echo "$status: $(cat "$answer")" >&2
  exit 1
}
api() { again -H "Authorization: Bearer $STOREFRONT_KEY" "$@"; }
# One key for all attempts, so that the request is done once
post() {
  cat > "$work/body"
  api -H 'Content-Type: application/json' -H "Idempotency-Key: $(random)" --data-binary "@$work/body" "$1"
}

api "$url/user"
jq -r '"You are \(.user.name)."' "$answer"
api "$url/items"
jq -r '.items[] | "\(.id)  \(.humanizeName)  from \(.minPriceWithTax)"' "$answer"
item=$(jq '.items[0].id' "$answer")

jq -n '{text: "Hello,\nworld"}' | post "$url/materials/text"
jq -r '.products[] | "Product \(.id): \(.title), \(.priceWithTax), \(.sampleImageUrl)"' "$answer"
base64 < "$1" | tr -d '\n' | jq -R --argjson item "$item" \
  '{title: "My picture", texture: "data:;base64,\(.)", products: [{itemId: $item, published: true}]}' |
  post "$url/materials"
jq -r '.products[] | "Product \(.id): \(.title), \(.priceWithTax), \(.sampleImageUrl)"' "$answer"

id=$(jq '.products[0].id' "$answer")
# The first request of a picture draws it, and is answered when it is there
again "$(jq -r '.products[0].sampleImageUrl' "$answer")"
cp "$answer" "product-$id.webp"
echo "product-$id.webp has $(wc -c < "product-$id.webp") bytes."
jq -n '{count: 1}' | post "$url/products/$id/favorites"
jq -r '"It was favored \(.meta.totalCount) times."' "$answer"
