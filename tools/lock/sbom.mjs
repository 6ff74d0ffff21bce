// npm run sbom: what ships, as a CycloneDX document on standard output. npm makes it of the lock, for all systems; its own
// --omit=dev also leaves out what is both shipped and a peer of something for development: Nest, ioredis and others.
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const lock = JSON.parse(readFileSync(new URL('../../package-lock.json', import.meta.url), 'utf8'));

const kept = new Set();
for (const [folder, { name, version, dev }] of Object.entries(lock.packages)) {
  if (!dev) kept.add(`${name ?? folder.slice(folder.lastIndexOf('node_modules/') + 13)}@${version}`);
}

const parameters = ['sbom', '--package-lock-only', '--sbom-type=application', '--sbom-format=cyclonedx'];
const npm = process.platform === 'win32' ? 'npm.cmd' : 'npm';
const options = { cwd: root, encoding: 'utf8', maxBuffer: 2 ** 26, stdio: ['ignore', 'pipe', 'inherit'] };
const bom = JSON.parse(
  process.env.npm_execpath
    ? execFileSync(process.execPath, [process.env.npm_execpath, ...parameters], options)
    : execFileSync(npm, parameters, options),
);

const component = { ...bom.metadata.component, name: lock.name };
const isKept = (reference) => kept.has(reference);
console.log(
  JSON.stringify(
    {
      ...bom,
      metadata: { ...bom.metadata, component },
      components: bom.components.filter((it) => isKept(it['bom-ref'])),
      dependencies: bom.dependencies
        .filter(({ ref }) => isKept(ref))
        .map(({ ref, dependsOn }) => ({ ref, dependsOn: dependsOn.filter(isKept) })),
    },
    null,
    2,
  ),
);
