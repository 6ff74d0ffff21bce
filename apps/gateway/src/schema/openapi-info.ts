import { exampleBaseUrl } from '#contracts';

/** General information about the API: the front page of the documentation. */
export const info = {
  title: 'Storefront API',
  version: 'v1',
  contact: { name: 'Operator of the shop', url: exampleBaseUrl },
  license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
  description: `API of a print-on-demand shop. Upload an image to create a **material**, publish **products** of it on **items**,
add products to your **favorites** and **choices**, and list what happened as **activities**.

## Authentication

Send an access token in the header \`Authorization: Bearer <token>\`: a personal API key, or a token of the OAuth 2.0 authorization
code flow. Every operation except \`GET /openapi.json\` requires the scope \`read\`. Operations that create, update or delete also
require \`write\`. A missing scope returns 401, not 403. Webhook endpoints cannot be managed with a token of an application (403).

## Requests

GET requests accept query parameters, POST and PUT requests a JSON body. Unknown fields are ignored. Values out of range are
rejected with 400, never clamped.

## Errors

Every error response is a problem document of type \`application/problem+json\` (RFC 9457):

- \`code\`: stable code for programs. \`type\` is the URL of its documentation.
- \`title\`: summary of the code.
- \`detail\`, also as \`message\`: explanation of this occurrence.
- \`errors\`: every invalid field with the rule that it violates.
- \`requestId\`: identifier to include in support requests.

| Status | Meaning |
| --- | --- |
| 400 | The request is malformed, or a field violates its schema. |
| 401 | The access token is missing or invalid, or lacks a scope. |
| 403 | The resource belongs to another user, or the operation rejects tokens of applications. |
| 404 | The resource does not exist, or the user may not see it. |
| 405 | The path does not support the method. \`Allow\` lists the supported ones. |
| 409 | The state of the resource does not allow the request, or the idempotency key is in conflict with another request. |
| 410 | The cursor of the events has expired. |
| 422 | The request is well-formed, but violates a rule. |
| 429 | The rate limit is exceeded, or too many event streams are open. Retry after \`Retry-After\` seconds. |
| 503, 504 | The service is temporarily unavailable. Retry with the same idempotency key. |

## Pagination

List operations accept \`limit\` (1 to 50, default 20) and \`offset\`. \`meta.hasNext\` is true if there is a next page. The response
header \`Link\` contains its URL. Activities have only \`limit\` (1 to 30, default 30), events \`limit\` (1 to 200, default 50) and
the cursor \`after\`. Items, categories, banners, promotions and webhook endpoints are not paginated.

Entries are sorted newest first, except items and categories (display order), the products of a choice (order of the choice) and
events (oldest first).

## Rate limits

Operations that create, update or delete have a rate limit for each user. Their responses to a valid token have the headers
\`X-RateLimit-Limit\`, \`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since 1970-01-01, UTC). Responses with status 429
also have \`Retry-After\`. Malformed requests are not counted.

## Idempotency

Every POST operation accepts an \`Idempotency-Key\`. A request with the same key within 24 hours is not executed again: it returns
the first response, with the header \`Idempotency-Replayed: true\`. Responses with a 5xx status are not stored: the request is
executed again, unless the first has taken effect. The same key with a different request returns 409.

## Dates

Times have the format \`YYYY-MM-DD HH:MM:SS +ZZZZ\`, or RFC 3339 if the installation is configured so. The schemas in this document
show which one.

## Images

\`sampleImageUrl\` is a complete URL. \`imageUrl\` is a template: replace \`{width}x{height}\` by an available size such as \`500x500\`,
\`{size}/{color}\` by the names of a variant, and \`[/angle]\` by an angle such as \`/front\` or by nothing. The first request of an
image renders it.

## Extensions

Operations with \`x-extension\`, and fields marked *(Extension.)*, are additions of this installation to the original API.`,
};
