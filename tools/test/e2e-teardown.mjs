import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { leaksIn } from './secrets.mjs';

const readJson = async (file) => JSON.parse(await readFile(file, 'utf8'));

/** Passwords of the servers and of the services' roles, keys of signatures and ciphers: what the stack made for itself. */
async function secretsOfStack(folder) {
  const [address, kept] = await Promise.all(['stack.json', 'secrets.json'].map((name) => readJson(join(folder, name))));
  const [{ serviceDatabaseUrl }, { serviceNames }] = await Promise.all([
    import('../../dist/tools/migrate/migrate.js'),
    import('../../dist/libs/contracts/src/index.js'),
  ]);
  const { databaseUrl, requestsUrl, jobsUrl, apiKey } = address;
  const roles = serviceNames.map((service) => serviceDatabaseUrl(databaseUrl, service, kept.databaseRoles));
  const passwords = [databaseUrl, requestsUrl, jobsUrl, ...roles].map((url) => new URL(url).password);
  return [...Object.values(kept), ...passwords, apiKey];
}

/** What PostgreSQL and both Redis have written. */
async function logsOfServers(folder) {
  const names = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('.log'));
  return Promise.all(names.map((name) => readFile(join(folder, name), 'utf8')));
}

const isTrouble = (line) => /^\{"level":"(?:warn|error|fatal)"/.test(line) || (line !== '' && !line.startsWith('{'));

/** Ends the stack, shows what it complained of, and fails the run when a secret stands in anything that it has written. */
export default async function tearDown() {
  const { children, folder, records, log, secrets } = globalThis.storefrontE2e ?? { children: [] };
  if (children.length === 0) return;
  const [own, serverLogs] = await Promise.all([secretsOfStack(folder), logsOfServers(folder)]);
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
  if (leaks.length > 0) {
    const lines = leaks.slice(0, 20).join('\n');
    throw new Error(`${leaks.length} lines of the logs hold secrets (${records} has all of both):\n${lines}`);
  }
  console.log(`${all.size} secrets were looked for in ${written.length} characters of logs: none is there.`);
  await rm(records, { recursive: true });
}
