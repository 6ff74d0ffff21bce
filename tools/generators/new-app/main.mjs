// npm run new:app -- NAME: creates a service with an internal port, settings, a schema, a message,
// a consumer, tests and manifests, and registers it. Its code comes from `template`; its manifests
// are copies of those of an existing service.
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Changes, UnexpectedTree } from './changes.mjs';
import { addFiles, editCode } from './code.mjs';
import { editManifests } from './manifests.mjs';
import { faultOf, placeholders, registryFault } from './names.mjs';

const help = `Usage: npm run new:app -- NAME

Creates the service NAME (lower-case words joined by hyphens, such as gift-cards) and registers it: code, tests, contracts,
settings, migration, Compose, Kubernetes, alerts. It counts purchases by day, as an example to replace.`;

const root = dirname(dirname(dirname(dirname(fileURLToPath(import.meta.url)))));

function fail(reason) {
  console.error(`new:app: ${reason}. Nothing was written.`);
  process.exit(1);
}

const [name, ...more] = process.argv.slice(2);
if (name === '--help' || name === '-h') {
  console.log(help);
  process.exit(0);
}
if (name === undefined || more.length > 0) fail('it takes one name (--help)');

const changes = new Changes(root);
try {
  const fault = faultOf(name) ?? registryFault(root, JSON.parse(changes.read('nest-cli.json')).projects);
  if (fault) fail(fault);
  const names = placeholders(name, new Date());
  addFiles(changes, names);
  editCode(changes, names);
  await editManifests(changes, names);
} catch (error) {
  if (!(error instanceof UnexpectedTree)) throw error;
  fail(error.message);
}
const { added, edited } = await changes.save();
const list = (title, paths) => [`${title}:`, ...paths.map((path) => `  ${path}`)].join('\n');
console.log(`${list('Added', added)}
${list('Changed', edited)}

\`npm start\` migrates and starts ${name} with the other apps. \`npm test -- apps/${name} tools/checks\` and \`npm run check\` pass.

Next, replace the example, which counts purchases by day, by what the app is for:
- libs/contracts/src/messages/${name}.ts: its messages. The controller in apps/${name}/src/purchases replies to them.
- libs/contracts/src/events.ts: the events that it consumes. Publishers have it in their publishesTo in apps.mjs.
- apps/${name}/src/migrations: its tables. \`npm run migrate\` brings an installation up to date.
- README.md: a row in the table of folders.
- docs/measurements/faults.md: \`npm test\` requires a row for each fault of ${name}, which \`npm run test:faults\` measures.
\`node tools/secrets.mjs\` makes its secrets for the next \`docker compose up\`.`);
