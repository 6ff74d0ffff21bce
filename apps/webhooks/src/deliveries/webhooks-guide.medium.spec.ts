import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { projectPath, projectRoot } from '#config';
import { signedWebhookHeaders } from '#contracts';
import { eventually } from '#testing';

/** Returns the code blocks of a language in docs/webhooks.md. */
const codeOf = (language: string): string[] =>
  [...readFileSync(projectPath('docs/webhooks.md'), 'utf8').matchAll(/```(\w+)\n([^]*?)```/g)]
    .filter(([, of]) => of === language)
    .map(([, , code]) => code!);

const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
const [id, body] = ['a4f912f4-289f-487e-aff7-7d5d69a6773d', '{"type":"webhook.test","text":"ä"}'];
const now = (): number => Math.floor(Date.now() / 1_000);

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  return port;
}

it('the receiver in Python accepts a signed event and rejects changed and old ones', async () => {
  const port = await freePort();
  const code = codeOf('python')[0]!.replace('4000', String(port));
  const receiver = spawn('python3', ['-c', code, secret], { stdio: 'ignore' });
  try {
    const send = async (headers: Record<string, string>, sent: string): Promise<number> =>
      (await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', headers, body: sent })).status;
    const signed = (timestamp: number) => signedWebhookHeaders({ id, timestamp, body }, [secret]);
    await eventually('the receiver listens', () =>
      send(signed(now()), body).then(
        (status) => status === 204,
        () => false,
      ),
    );
    expect(await send(signed(now()), body.replace('ä', 'a'))).toBe(400);
    expect(await send(signed(now() - 600), body)).toBe(400);
    expect(await send({ ...signed(now()), 'webhook-id': 'another' }, body)).toBe(400);
    expect(await send({}, body)).toBe(400);
  } finally {
    receiver.kill();
  }
});

/** Values of a request with the body as sent, and those that a verifier must reject. */
function requests() {
  const [timestamp, old] = [now(), now() - 600];
  const signatureAt = (at: number) => signedWebhookHeaders({ id, timestamp: at, body }, [secret])['webhook-signature'];
  const valid = { id, timestamp, body, signature: `v1,x ${signatureAt(timestamp)}` };
  return {
    valid,
    invalid: [
      { ...valid, body: body.replace('ä', 'a') },
      { ...valid, timestamp: old, signature: signatureAt(old) },
      { ...valid, id: 'another' },
      { ...valid, signature: 'v1,x' },
    ],
  };
}

it('the commands for a shell accept a signed event and reject changed and old ones', () => {
  const code = codeOf('sh').find((it) => it.includes('openssl'))!;
  const run = (it: ReturnType<typeof requests>['valid']): string => {
    const values = {
      SECRET: secret,
      ID: it.id,
      TIMESTAMP: String(it.timestamp),
      BODY: it.body,
      SIGNATURE: it.signature,
    };
    return execFileSync('bash', ['-c', `${code}true`], { env: { ...process.env, ...values }, encoding: 'utf8' }).trim();
  };
  const { valid, invalid } = requests();
  expect([valid, ...invalid].map(run)).toEqual(['valid', '', '', '', '']);
});

it('the code for Node.js accepts a signed event, and no changed or old one', () => {
  const code = codeOf('js')[0]!;
  const run = (it: ReturnType<typeof requests>['valid']): string => {
    const headers = {
      'webhook-id': it.id,
      'webhook-timestamp': String(it.timestamp),
      'webhook-signature': it.signature,
    };
    const call = `console.log(eventOf(...${JSON.stringify([secret, headers, it.body])}).type)`;
    const { stdout } = spawnSync(process.execPath, ['--input-type=module', '-e', `${code}${call}`], {
      cwd: projectRoot,
      encoding: 'utf8',
    });
    return stdout.trim();
  };
  const { valid, invalid } = requests();
  expect([valid, ...invalid].map(run)).toEqual(['webhook.test', '', '', '', '']);
});
