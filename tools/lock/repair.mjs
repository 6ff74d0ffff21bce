// npm run lock:repair: completes package-lock.json after a change of dependencies. Review the
// difference before committing.
import { readFileSync, writeFileSync } from 'node:fs';
import { completeLock } from './complete.mjs';

const file = new URL('../../package-lock.json', import.meta.url);
const { lock, added, ranges } = completeLock(JSON.parse(readFileSync(file, 'utf8')));
if (added.length > 0) writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
for (const name of added) console.log(`added    ${name}`);
for (const name of ranges) console.log(`skipped  ${name}: not an exact version`);
console.log(
  added.length === 0 ? 'package-lock.json is complete.' : `package-lock.json: ${added.length} packages added.`,
);
