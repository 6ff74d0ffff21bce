import { GatewayStack } from '../../testing/gateway-stack.js';
import { RawClient } from '../../testing/raw-client.js';
import { largeBodyLimits } from './large-bodies.js';

const MB = 1024 * 1024;

let stack: GatewayStack;
let url: string;
const clients: RawClient[] = [];

beforeAll(async () => {
  stack = await GatewayStack.start({});
  url = await stack.gateway({ TRUSTED_PROXIES: 'loopback' });
});
afterEach(() => clients.splice(0).forEach(({ socket }) => socket.destroy()));
afterAll(() => stack.close());

/**
 * Opens a connection and sends the headers of an upload of 2 MB, forwarded by a proxy for the
 * address.
 */
async function upload(address: string): Promise<RawClient> {
  const client = await RawClient.to(url);
  clients.push(client);
  client.send('POST /api/v1/materials HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer writer\r\n');
  client.send(`X-Forwarded-For: ${address}\r\nContent-Type: application/json\r\nContent-Length: ${2 * MB}\r\n\r\n`);
  return client;
}

/** Sends a byte periodically, so that the upload is never idle. */
async function trickle(address: string): Promise<RawClient> {
  const client = await upload(address);
  const timer = setInterval(() => client.send(' '), 100);
  client.socket.once('close', () => clearInterval(timer));
  return client;
}

describe('an upload', () => {
  it('that is too slow is rejected, and does not block another one', async () => {
    const slow = [];
    for (let n = 0; n < largeBodyLimits.ofUser; n += 1) slow.push(await trickle(`192.0.2.${n}`));
    const whole = await upload('192.0.2.100');
    whole.send('{}'.padEnd(2 * MB));
    await Promise.all([...slow, whole].map((client) => client.waitForResponses(1)));
    for (const client of slow) {
      expect(client.statuses).toEqual([408]);
      expect(client.received).toContain('The body arrived too slowly.');
    }
    // Read completely, and rejected because required fields are missing
    expect(whole.statuses).toEqual([400]);
  });
});
