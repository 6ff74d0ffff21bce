import { serviceNames } from '#contracts';
import { openQueueClients } from '#request-queue';
import { requestsUrl } from '#config';
import { readArguments } from './command-line/arguments.js';
import { type Command, Report, UsageError } from './command-line/command.js';
import { errorText } from './command-line/error-text.js';

async function main(words: readonly string[]): Promise<void> {
  const line = readArguments(words);
  if (line.kind === 'help') {
    process.stdout.write(`${line.text}\n`);
    return;
  }
  const result = await runCommand(line.command, line.flags);
  if (Symbol.asyncIterator in result) for await (const part of result as AsyncIterable<Report>) print(part, line.json);
  else print(result, line.json);
}

function print(result: object, json: boolean): void {
  const text = result instanceof Report && !json ? result.text : JSON.stringify(result, null, json ? undefined : 2);
  process.stdout.write(`${text}\n`);
  if (result instanceof Report && !result.isGood) process.exitCode = 1;
}

async function runCommand(command: Command, flags: Readonly<Record<string, unknown>>): Promise<object> {
  if (command.direct) return command.run(undefined as never, flags);
  const clients = await openQueueClients({ app: 'operator', redisUrl: requestsUrl(), services: serviceNames });
  try {
    return await command.run(clients, flags);
  } finally {
    await clients.close();
  }
}

const words = process.argv.slice(2);
try {
  await main(words);
} catch (error) {
  process.stderr.write(`${errorText(error, words.includes('--json'))}\n`);
  process.exitCode = error instanceof UsageError ? 2 : 1;
}
