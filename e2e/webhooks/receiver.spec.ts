import { signedWebhookHeaders } from '#contracts';
import { eventually } from '#testing';
import { WebhookClient } from '../../apps/webhooks/src/deliveries/webhook.client.js';
import { type EndpointMode, endpointModes } from './endpoint-modes.js';
import { type Reception, WebhookReceiver } from './receiver.js';

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const id = 'a4f912f4-289f-487e-aff7-7d5d69a6773d';
const client = new WebhookClient({ allowedHosts: new Set(['127.0.0.1']), timeoutMs: 5_000 });
const impatient = new WebhookClient({ allowedHosts: new Set(['127.0.0.1']), timeoutMs: 2_000 });
const never = new AbortController().signal;
const faultyUser = 3;

let receiver: WebhookReceiver;
beforeEach(async () => {
  receiver = await WebhookReceiver.start();
  for (const userId of [1, 2, faultyUser]) receiver.add(userId, secret);
});
afterEach(() => receiver.close());

async function send({ userId = faultyUser, from = client, ageSeconds = 0, key = secret } = {}) {
  const timestamp = Math.floor(Date.now() / 1_000) - ageSeconds;
  const body = JSON.stringify({ id });
  const headers = signedWebhookHeaders({ id, timestamp, body }, [key]);
  const { statusCode, error } = await from.send({ url: receiver.urlOf(userId), headers, body }, never);
  return error ?? statusCode;
}
const isAccepted = () => receiver.take().map((reception) => reception.isAccepted);

const modes: readonly (readonly [EndpointMode, readonly unknown[], readonly boolean[]])[] = [
  ['healthy', [204], [true]],
  ['slow', [204], [true]],
  ['resetting', ['reset', 'reset', expect.stringMatching(/^(?:reset|protocol)$/)], [false, false]],
  ['lying', ['reset', 'protocol', 'protocol', 'status'], [false, false, false, false]],
  ['redirecting', Array.from({ length: 5 }, () => 'redirect'), [false, false, false, false, false]],
  ['oversized', [200, 'too-large'], [true, false]],
];

it.each(modes)('an endpoint in the mode %s has the results %j', async (mode, results, accepted) => {
  receiver.mode = mode;
  expect(endpointModes[mode]).toHaveLength(results.length);
  for (const result of results) expect(await send()).toEqual(result);
  expect(isAccepted()).toEqual(accepted);
  expect([...receiver.findings]).toEqual([]);
});

it('a hanging endpoint never responds', async () => {
  receiver.mode = 'hanging';
  const sent = send({ from: impatient });
  const received: Reception[] = [];
  await eventually('the webhook has arrived', () => received.push(...receiver.take()) > 0);
  expect(await sent).toBe('timeout');
  expect(received).toEqual([expect.objectContaining({ isAccepted: false })]);
});

it('the first endpoints stay healthy', async () => {
  receiver.mode = 'redirecting';
  expect(await send({ userId: 2 })).toBe(204);
  expect(receiver.faultyRequests).toBe(0);
});

it('a webhook with a wrong signature is rejected and reported', async () => {
  expect(await send({ key: `whsec_${Buffer.alloc(32, 8).toString('base64')}` })).toBe('status');
  expect(receiver.take()).toEqual([]);
  expect([...receiver.findings]).toEqual([
    'the endpoint of user 3 has rejected a webhook: No matching signature found',
  ]);
});

it('a webhook of another time is rejected, and reported unless the mode is strict', async () => {
  receiver.mode = 'strict';
  expect(await send({ ageSeconds: 600 })).toBe('status');
  expect(receiver.findings.size).toBe(0);
  receiver.mode = 'healthy';
  expect(await send({ ageSeconds: 600 })).toBe('status');
  expect([...receiver.findings]).toEqual([expect.stringContaining('Message timestamp too old')]);
});
