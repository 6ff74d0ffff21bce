import { createPublicKey, randomUUID, verify } from 'node:crypto';
import { Webhook as StandardWebhook } from 'standardwebhooks';
import { Webhook as SvixWebhook } from 'svix';
import {
  generateWebhookPrivateKey,
  generateWebhookSecret,
  isWebhookPrivateKey,
  signedWebhookHeaders,
  webhookPublicKeyOf,
} from './webhook-signature.js';

const body = JSON.stringify({ type: 'sale.recorded', data: { title: '灯台 Tシャツ 🗼' } });
const message = { id: randomUUID(), timestamp: Math.floor(Date.now() / 1_000), body };
const [secret, oldSecret, otherSecret] = [generateWebhookSecret(), generateWebhookSecret(), generateWebhookSecret()];

it('a generated secret is 32 random bytes in base64 after whsec_', () => {
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
  expect(Buffer.from(secret.slice(6), 'base64')).toHaveLength(32);
  expect(otherSecret).not.toBe(secret);
  expect(isWebhookPrivateKey(secret)).toBe(false);
});

describe.each([
  ['standardwebhooks', StandardWebhook],
  ['svix', SvixWebhook],
])('%s', (_, Webhook) => {
  it('accepts a signature of the secret', () => {
    expect(new Webhook(secret).verify(body, signedWebhookHeaders(message, [secret]))).toEqual(JSON.parse(body));
  });

  it.each([
    ['new', secret],
    ['old', oldSecret],
  ])('accepts the %s secret during a rotation, beside an Ed25519 signature', (__, known) => {
    const headers = signedWebhookHeaders(message, [secret, generateWebhookPrivateKey(), oldSecret]);
    expect(() => new Webhook(known).verify(body, headers)).not.toThrow();
  });

  it('rejects another secret, body, id and time', () => {
    const headers = signedWebhookHeaders(message, [secret]);
    const webhook = new Webhook(secret);
    expect(() => new Webhook(otherSecret).verify(body, headers)).toThrow('No matching signature');
    expect(() => webhook.verify(`${body} `, headers)).toThrow('No matching signature');
    expect(() => webhook.verify(body, { ...headers, 'webhook-id': randomUUID() })).toThrow('No matching signature');
    const later = { ...headers, 'webhook-timestamp': String(message.timestamp + 1) };
    expect(() => webhook.verify(body, later)).toThrow('No matching signature');
  });

  it('rejects a body with any changed byte', () => {
    const headers = signedWebhookHeaders(message, [secret]);
    const webhook = new Webhook(secret);
    const bytes = Buffer.from(body);
    expect(() => webhook.verify(bytes, headers)).not.toThrow();
    for (let at = 0; at < bytes.length; at += 1) {
      const changed = Buffer.from(bytes);
      changed[at]! ^= 1;
      expect(() => webhook.verify(changed, headers)).toThrow('No matching signature');
    }
  });

  it('rejects a message older than five minutes, and one from more than five minutes later', () => {
    const now = Math.floor(Date.now() / 1_000);
    const verify = (timestamp: number) => () =>
      new Webhook(secret).verify(body, signedWebhookHeaders({ ...message, timestamp }, [secret]));
    for (const seconds of [-290, 290]) expect(verify(now + seconds)).not.toThrow();
    expect(verify(now - 301)).toThrow('too old');
    expect(verify(now + 310)).toThrow('too new');
  });
});

it('signs as in the example of the specification of Standard Webhooks', () => {
  const headers = signedWebhookHeaders(
    { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', timestamp: 1614265330, body: '{"test": 2432232314}' },
    ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw'],
  );
  expect(headers['webhook-signature']).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=');
});

describe('an Ed25519 signature', () => {
  const privateKey = generateWebhookPrivateKey();
  const x = Buffer.from(webhookPublicKeyOf(privateKey).slice('whpk_'.length), 'base64').toString('base64url');
  const publicKey = createPublicKey({ format: 'jwk', key: { kty: 'OKP', crv: 'Ed25519', x } });
  const [version, signature] = signedWebhookHeaders(message, [privateKey])['webhook-signature'].split(',');
  const isValid = (content: string) => verify(null, Buffer.from(content), publicKey, Buffer.from(signature!, 'base64'));

  it('has a public key of 32 bytes in base64 after whpk_', () => {
    expect(isWebhookPrivateKey(privateKey)).toBe(true);
    expect(webhookPublicKeyOf(privateKey)).toMatch(/^whpk_[A-Za-z0-9+/]{43}=$/);
  });

  it('has the version v1a and is verified with the public key', () => {
    expect(version).toBe('v1a');
    expect(isValid(`${message.id}.${message.timestamp}.${body}`)).toBe(true);
    expect(isValid(`${message.id}.${message.timestamp + 1}.${body}`)).toBe(false);
  });
});
