import { z } from 'zod';
import { type PublicEventType, publicEventTypes, text, webUrl, type WebhookEndpoint } from '#contracts';
import { checkbox, typedLine } from '../pages/form.js';

/** Types of events that a form offers. An endpoint receives its test events with any types. */
export type OfferedType = Exclude<PublicEventType, 'webhook.test'>;

const isOffered = (type: PublicEventType): type is OfferedType => type !== 'webhook.test';
const offeredTypes = publicEventTypes.filter(isOffered);

/** Prefix of the checkboxes of types. */
const prefix = 'type-';

const fields = {
  url: typedLine.pipe(webUrl),
  description: typedLine.pipe(text(0, 255)),
  ...Object.fromEntries(offeredTypes.map((type) => [prefix + type, checkbox])),
};

/** Names of the fields that both forms have. `type-` is the prefix of several. */
export const formFields = ['url', 'description', prefix];

const typesIn = (given: Readonly<Record<string, unknown>>): OfferedType[] =>
  offeredTypes.filter((type) => given[prefix + type] !== undefined && given[prefix + type] !== false);

/** Form that changes an endpoint. */
export const EndpointForm = z.object(fields).transform(({ url, description, ...types }) => ({
  url,
  description,
  types: typesIn(types),
}));

/** Form that creates an endpoint. */
export const NewEndpointForm = z
  .object({ ...fields, v1a: checkbox })
  .transform(({ url, description, v1a, ...types }) => ({
    url,
    description,
    types: typesIn(types),
    signature: v1a ? ('v1a' as const) : ('v1' as const),
  }));

const periodsMs = { hour: 3_600_000, day: 86_400_000, month: 30 * 86_400_000 };

/** Form that replays failed deliveries. */
export const ReplayForm = z
  .object({ period: z.enum(['hour', 'day', 'month']) })
  .transform(({ period }) => ({ since: new Date(Date.now() - periodsMs[period]).toISOString() }));

/** Values of the form fields. */
export interface FormValues {
  readonly url?: string | undefined;
  readonly description?: string | undefined;
  readonly types: readonly PublicEventType[];
  readonly v1a?: boolean;
}

export const valuesOfForm = (given: Readonly<Record<string, string>>): FormValues => ({
  url: given.url,
  description: given.description,
  types: typesIn(given),
  v1a: given.v1a !== undefined,
});

export const valuesOf = ({ url, description, types }: WebhookEndpoint): FormValues => ({ url, description, types });
