import { exampleBaseUrl } from '#contracts';

/** What holds for all operations: the front page of the documentation. */
export const info = {
  title: 'Storefront API',
  version: 'v1',
  contact: { name: 'The operator of this shop', url: exampleBaseUrl },
  license: { name: 'All rights reserved', identifier: 'LicenseRef-All-Rights-Reserved' },
  description: `A print-on-demand shop: upload an image (a **material**), get **products** of it on **items**, favor them, put
them into **choices**, and read what happened as **activities**.

## Tokens

Send \`Authorization: Bearer <token>\`: a personal API key, or a token of the OAuth 2.0 authorization code flow. Every operation
needs the scope \`read\`; those that write need \`write\` too. A missing scope is 401, not 403.

## Requests

GET takes its parameters from the query, everything else from a JSON body. Keys that nobody knows are ignored. A value out of range
is refused with 400, never bent.

## Errors

Every failure has a body of type \`application/problem+json\` (RFC 9457). \`code\` is stable and made for programs; \`type\` is a page
about it; \`detail\` (also as \`message\`) is a sentence for people; \`errors\` names every offending place of the request;
\`requestId\` is what to tell us. 400 is a wrong shape, 401 a wrong token, 403 somebody else's thing, 404 something that is unknown or
may not be seen, 409 a conflict of idempotency keys, 422 the right shape that cannot be done, 429 too many, 503 and 504 worth another
attempt. 405 names the right methods in \`Allow\`.

## Paging

Lists take \`limit\` (1 to 50, 20 by default) and \`offset\`, newest first. \`meta.hasNext\` says whether there is more, and the header
\`Link\` has the address of the next page.

## Rate limits

Every operation that writes is limited for each user. Their answers to a valid token have \`X-RateLimit-Limit\`,
\`X-RateLimit-Remaining\` and \`X-RateLimit-Reset\` (seconds since 1970, UTC); 429 also has \`Retry-After\`. Requests of the wrong shape
do not count.

## Safe repetition

Every POST takes an \`Idempotency-Key\`. Sent again with the same key within 24 hours it does nothing, and answers what the first
one answered, with \`Idempotency-Replayed: true\`. The same key with another body is 409.

## Dates

Points in time are written \`YYYY-MM-DD HH:MM:SS +ZZZZ\`, or as RFC 3339 where an installation is set so: the schemas here say which.

## Images

\`sampleImageUrl\` works as it is. \`imageUrl\` is a template: put one of the served sizes (\`500x500\`) for \`{width}x{height}\`, names of a
variant for \`{size}/{color}\`, and \`/front\` or another angle, or nothing, for \`[/angle]\`. An image that nobody has asked for yet is
drawn at the first request.`,
};
