import { idText, problems } from '#contracts';
import { DomainError } from '#kernel';

const parse =
  (code: 'webhook-endpoint.not-found' | 'webhook-delivery.not-found') =>
  (text: string): number => {
    const id = idText.safeParse(text);
    if (id.success) return id.data;
    throw new DomainError(problems[code], 'Malformed id.');
  };

/** Parses the id of an endpoint from a path. Throws `webhook-endpoint.not-found` if malformed. */
export const parseEndpointId = parse('webhook-endpoint.not-found');
/** Parses the id of a delivery from a path. Throws `webhook-delivery.not-found` if malformed. */
export const parseDeliveryId = parse('webhook-delivery.not-found');
