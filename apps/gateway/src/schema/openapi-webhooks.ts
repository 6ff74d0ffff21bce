import { z } from 'zod';
import { Event, field, publicEvents, type PublicEventType } from '#contracts';
import type { OpenApiContext } from './openapi-context.js';

/** Headers of a delivery (Standard Webhooks). */
const headers: Readonly<Record<string, readonly [description: string, example: string]>> = {
  'webhook-id': [
    'Identifier of the event, the same in every attempt. Ignore an event whose identifier you have already processed.',
    '0191e7c1-9c1c-4f0e-8a57-2f9a1d6f4d11',
  ],
  'webhook-timestamp': [
    'Time of the attempt in seconds since 1970-01-01 (UTC). Reject times more than five minutes away from yours.',
    '1795165200',
  ],
  'webhook-signature': [
    'Signatures of `<webhook-id>.<webhook-timestamp>.<body>`, separated by spaces: `v1,` and HMAC-SHA256 in base64 for each valid secret; for endpoints with `v1a` also `v1a,` and Ed25519 in base64. One that you can verify is enough.',
    'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
  ],
};

const parameters = Object.entries(headers).map(([name, [description, example]]) => ({
  name,
  in: 'header',
  description,
  required: true,
  schema: { type: 'string' },
  example,
}));

/** Converts `material.created` to `onMaterialCreated`. */
const operationIdOf = (type: string): string =>
  `on${type.replaceAll(/(?:^|\W)([a-z])/g, (_, letter: string) => letter.toUpperCase())}`;

/** Returns the events that webhook endpoints receive, each with its body, headers and version. */
export function webhooksOf({ shapes, example }: OpenApiContext): object {
  const webhookOf = (type: PublicEventType): object => {
    const { version, description, data } = publicEvents[type];
    const body = Event.extend({
      type: field(z.literal(type), 'Type of the event.', type),
      data: data.meta({ description: 'Identifiers, and what has changed.' }),
    });
    const schema = shapes.request(body);
    return {
      operationId: operationIdOf(type),
      tags: ['Event'],
      summary: type,
      description,
      'x-event-version': version,
      parameters,
      requestBody: { required: true, content: { 'application/json': { schema, example: example(schema) } } },
      responses: {
        '2XX': { description: 'The event was received. Any other status, also a redirect, is a failed attempt.' },
        410: { description: 'The endpoint is disabled and receives no more events.' },
        '4XX': { description: 'Failed attempt. `Retry-After` delays the next one, by at most 24 hours.' },
        '5XX': { description: 'Failed attempt. `Retry-After` delays the next one, by at most 24 hours.' },
      },
      // Signatures authenticate the sender
      security: [],
    };
  };
  const types = Object.keys(publicEvents) as PublicEventType[];
  return Object.fromEntries(types.map((type) => [type, { post: webhookOf(type) }]));
}
