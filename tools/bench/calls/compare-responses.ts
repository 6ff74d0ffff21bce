import type { Call, CallRequest } from './calls.js';
import type { Side } from './sides.js';

/** Size of the first response of a call. */
interface Compared {
  readonly bytes: number;
}

/** Number of requests of a call whose responses are compared. */
const comparedRequests = 50;

/**
 * Sends the same requests to both sides and compares the bodies: byte by byte, or without numbers
 * and hashes for calls that create something.
 *
 * @throws Error for the first difference, and for a response other than 2xx
 */
export async function compareResponses(call: Call, ours: Side, floor: Side, token: string): Promise<Compared> {
  const requests = call.requests.slice(0, call.writes ? 1 : comparedRequests);
  let bytes = 0;
  for (const request of requests) {
    // The second response may be cached, as in the measurement
    if (!call.writes) await bodyOf(ours, request, token);
    const [one, other] = [await bodyOf(ours, request, token), await bodyOf(floor, request, token)];
    const [seen, expected] = call.writes ? [masked(one), masked(other)] : [one, other];
    if (seen !== expected) throw new Error(`${call.name} ${request.path}: ${difference(seen, expected)}`);
    bytes ||= Buffer.byteLength(one);
  }
  return { bytes };
}

async function bodyOf({ origin }: Side, { method, path, body }: CallRequest, token: string): Promise<string> {
  const headers = {
    authorization: `Bearer ${token}`,
    'accept-encoding': 'identity',
    'content-type': 'application/json',
  };
  const response = await fetch(`${origin}/api/v1${path}`, { method, headers, body: body ?? null });
  const text = await response.text();
  if (!response.ok) throw new Error(`${origin}${path}: ${response.status} ${text}`);
  return text;
}

const masked = (body: string): string =>
  body
    .replace(/\b[0-9a-f]{40}\b/g, 'hash')
    .replace(/\d+(?:\.\d+)?/g, '0')
    .replace(/-0/g, '0');

function difference(one: string, other: string): string {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at += 1;
  const near = (text: string): string => text.slice(Math.max(0, at - 60), at + 60);
  return `the responses differ at ${at}:\n  ours  ${near(one)}\n  floor ${near(other)}`;
}
