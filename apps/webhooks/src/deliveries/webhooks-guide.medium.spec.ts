import { spawn, execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type AddressInfo } from 'node:net';
import { projectPath } from '#config';
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
  } finally {
    receiver.kill();
  }
});

it('the commands for a shell print the signature of an event', () => {
  const code = codeOf('sh').find((it) => it.includes('openssl'))!;
  const timestamp = now();
  const env = { ...process.env, SECRET: secret, ID: id, TIMESTAMP: String(timestamp), BODY: body };
  const printed = execFileSync('bash', ['-c', code], { env, encoding: 'utf8' }).trim();
  expect(`v1,${printed}`).toBe(signedWebhookHeaders({ id, timestamp, body }, [secret])['webhook-signature']);
});
