import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { leaksIn } from './secrets.mjs';

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/** Passwords of the servers and of the services' roles, keys of signatures and ciphers: what the stack made for itself. */
async function secretsOfStack(folder) {
  const [address, kept] = await Promise.all(['stack.json', 'secrets.json'].map((name) => readJson(join(folder, name))));
  const [{ serviceDatabaseUrl }, { serviceNames }] = await Promise.all([
    import('../../dist/libs/migrations/src/index.js'),
    import('../../dist/libs/contracts/src/index.js'),
  ]);
  const { databaseUrl, requestsUrl, jobsUrl, redisUrls, apiKey } = address;
  const roles = serviceNames.map((service) => serviceDatabaseUrl(databaseUrl, service, kept.databaseRoles));
  const ofApps = Object.values(redisUrls).flatMap((urls) => Object.values(urls));
  const passwords = [databaseUrl, requestsUrl, jobsUrl, ...ofApps, ...roles].map((url) => new URL(url).password);
  return [...Object.values(kept), ...passwords, apiKey];
}

/** The setting that warns of persistence, the list of workers on the queue board, and what ioredis sends of itself. */
const deniedByIntent = ['config|get', 'client|list', 'client|setinfo'];

/** The commands that a Redis has rejected: a user of an app lacks a grant. */
async function rejectedBy(url) {
  const redis = new Redis(url);
  const facts = await redis.info('commandstats').finally(() => redis.disconnect());
  return facts
    .split('\n')
    .filter((line) => /rejected_calls=[1-9]/.test(line))
    .map((line) => line.slice('cmdstat_'.length, line.indexOf(':')))
    .filter((command) => !deniedByIntent.includes(command));
}

/** What PostgreSQL and both Redis have written. */
async function logsOfServers(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

const isTrouble = (line) => /^\{"level":"(?:warn|error|fatal)"/.test(line) || (line !== '' && !line.startsWith('{'));

/**
 * What nobody should find in the log behind its first `begin` bytes, which tell of the start. No test wants an app to end
 * or to fail, and a request that makes one do so is answered with a promised 503.
 */
async function failuresIn(log, begin) {
  const { readLog } = await import('../../dist/e2e/fuzz/log-findings.js');
  const { crashes, errors, planted } = await readLog(log, begin);
  return [...crashes, ...errors, ...planted.map((line) => `no line of ours: ${line}`)];
}

/**
 * Ends the stack, shows what it complained of, and fails the run when an app ended or failed, or when a secret stands in
 * anything that was written.
 */
export default async function tearDown() {
  const { children, isOurs, folder, records, log, secrets, begin } = globalThis.storefrontE2e ?? { children: [] };
  if (children.length === 0) return;
  if (!isOurs) {
    // What another stack has written is not here
    for (const child of children) await child.stop();
    await rm(records, { recursive: true });
    return;
  }
  const { requestsUrl, jobsUrl } = await readJson(join(folder, 'stack.json'));
  const [own, serverLogs, ...rejected] = await Promise.all([
    secretsOfStack(folder),
    logsOfServers(folder),
    ...[requestsUrl, jobsUrl].map(rejectedBy),
  ]);
  for (const child of children) await child.stop();
  const written = await readFile(log, 'utf8');
  const troubles = written.split('\n').filter(isTrouble);
  process.stdout.write(troubles.map((line) => `${line}\n`).join(''));
  const noted = (await readFile(secrets, 'utf8'))
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line));
  const all = new Set([...own, ...noted]);
  const leaks = leaksIn([written, ...serverLogs].join('\n'), all);
  const failures = [
    ...(await failuresIn(log, begin)),
    ...rejected.flat().map((command) => `a user of Redis may not use ${command}`),
  ];
  const found = [
    ...failures.map((line) => `FAILURE ${line}`),
    ...leaks.slice(0, 20).map((line) => `SECRET in ${line}`),
  ];
  if (found.length > 0)
    throw new Error(
      `the logs tell of ${failures.length} failures, and ${leaks.length} of their lines hold secrets ` +
        `(${records} has all of it):\n${found.join('\n')}`,
    );
  console.log(
    `${all.size} secrets were looked for in ${written.length} characters of logs: none is there, and no failure.`,
  );
  await rm(records, { recursive: true });
}
