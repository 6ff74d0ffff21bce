import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { projectPath } from '#config';
import { operations } from '#contracts';
import { type OwnStack, startStack } from '../support/own-stack.js';
import { closedUrl } from '../support/webhook-urls.js';
import { storeFailedDelivery } from '../support/failed-delivery.js';

interface ExampleResponse {
  readonly name: string;
  readonly code: number;
  readonly text: string;
}

let folder: string;
let stack: OwnStack;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'storefront-e2e-postman-'));
  stack = await startStack(folder, [], { WEBHOOK_ALLOWED_HOSTS: '127.0.0.1' });
});
afterAll(async () => {
  await stack.stop();
  await rm(folder, { recursive: true });
});

describe('the OpenAPI document, imported into Postman', () => {
  it('has examples that succeed with the demo data', async () => {
    const response = await fetch(`${stack.origin}/api/v1/webhook_endpoints`, {
      method: 'POST',
      headers: { authorization: `Bearer ${stack.apiKey}`, 'content-type': 'application/json' },
      body: JSON.stringify({ url: closedUrl }),
    });
    expect(response.status).toBe(201);
    await storeFailedDelivery(folder, 1, 1);
    const child = spawn(process.execPath, [projectPath('e2e/documents/postman.mjs')], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(JSON.stringify({ url: `${stack.origin}/api/v1/openapi.json`, key: stack.apiKey }));
    const responses = JSON.parse(await text(child.stdout)) as ExampleResponse[];
    expect(responses).toHaveLength(Object.keys(operations).filter((name) => name !== 'events.stream').length);
    expect(responses.filter(({ code }) => ![200, 201, 202, 204].includes(code))).toEqual([]);
  });
});
