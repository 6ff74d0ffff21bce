// With a registry that has only some platforms, `npm install` omits the optional packages of other
// platforms from the lock file, and `npm ci` fails with "Missing: ... from lock file". This script
// adds the missing entries.

const systems = [
  [/darwin/, 'darwin'],
  [/win32|windows/, 'win32'],
  [/android/, 'android'],
  [/freebsd/, 'freebsd'],
  [/openharmony/, 'openharmony'],
  [/linux/, 'linux'],
];
const processors = ['loong64', 'riscv64', 'ppc64', 's390x', 'wasm32', 'arm64', 'ia32', 'x64', 'arm'];

/**
 * Returns `os` and `cpu` of a native package from its name: `@swc/core-linux-x64-gnu`.
 * @param {string} name
 * @returns {{ os?: string[], cpu?: string[] }}
 */
export function platformOf(name) {
  const words = name.split(/[-/]/);
  const os = systems.find(([pattern]) => pattern.test(name))?.[1];
  const cpu = processors.find((processor) => words.some((word) => word.startsWith(processor)));
  return { ...(cpu && { cpu: [cpu] }), ...(os && { os: [os] }) };
}

/**
 * Returns the folders in whose `node_modules` Node.js resolves dependencies of `folder`, ending
 * with the project.
 */
function lookUp(folder) {
  const folders = [folder];
  for (let at = folder.lastIndexOf('/node_modules/'); at >= 0; at = folder.lastIndexOf('/node_modules/', at - 1)) {
    folders.push(folder.slice(0, at));
  }
  return folder === '' ? folders : [...folders, ''];
}

const isLocked = (packages, from, name) =>
  lookUp(from).some((folder) => packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]);

/**
 * Returns the content of package-lock.json with the missing optional packages, the names of the
 * added packages, and those of packages with a version range, which are not added: a range would
 * need the registry. The added entries have no integrity hash.
 * @param {{ packages: Record<string, any> }} lock
 * @returns {{ lock: { packages: Record<string, any> }, added: string[], ranges: string[] }}
 */
export function completeLock(lock) {
  const packages = { ...lock.packages };
  const added = [];
  const ranges = [];
  for (const [folder, entry] of Object.entries(lock.packages)) {
    for (const [name, version] of Object.entries(entry.optionalDependencies ?? {})) {
      if (isLocked(packages, folder, name)) continue;
      if (!/^\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(version)) {
        ranges.push(`${name}@${version}`);
        continue;
      }
      packages[`node_modules/${name}`] = {
        version,
        ...platformOf(name),
        ...(entry.dev && { dev: true }),
        optional: true,
      };
      added.push(`${name}@${version}`);
    }
  }
  const sorted = Object.entries(packages).sort(([one], [other]) => (one < other ? -1 : 1));
  return { lock: { ...lock, packages: Object.fromEntries(sorted) }, added, ranges };
}
