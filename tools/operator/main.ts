import { DomainError } from '#kernel';
import { serviceNames } from '#contracts';
import { openQueueClients } from '#request-queue';
import { requestsUrl } from '../stack-address.js';
import { readArguments } from './arguments.js';
import { UsageError } from './command.js';

async function main(words: readonly string[]): Promise<void> {
  const asked = readArguments(words);
  if (asked.kind === 'help') {
    process.stdout.write(`${asked.text}\n`);
    return;
  }
  const clients = await openQueueClients({ redisUrl: requestsUrl(), services: serviceNames });
  try {
    const result = await asked.command.run(clients, asked.flags);
    process.stdout.write(`${JSON.stringify(result, null, asked.json ? undefined : 2)}\n`);
  } finally {
    await clients.close();
  }
}

try {
  await main(process.argv.slice(2));
} catch (error) {
  const text = error instanceof DomainError ? `${error.kind.code}: ${error.detail}` : (error as Error).message;
  process.stderr.write(`${text}\n`);
  if (error instanceof DomainError)
    for (const it of error.errors ?? []) process.stderr.write(`  ${it.path}: ${it.message}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
