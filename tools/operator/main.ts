import { serviceNames } from '#contracts';
import { openQueueClients } from '#request-queue';
import { requestsUrl } from '../stack-address.js';
import { readArguments } from './arguments.js';
import { UsageError } from './command.js';
import { told } from './told.js';

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

const words = process.argv.slice(2);
try {
  await main(words);
} catch (error) {
  process.stderr.write(`${told(error, words.includes('--json'))}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
