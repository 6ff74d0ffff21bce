import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isStamped, isUsableNode, stampOf } from './bootstrap.mjs';

describe('the checks before a start', () => {
  it.each(['20.19.0', '20.20.2', '22.0.0', '24.1.0'])('accept Node %s', (version) => {
    expect(isUsableNode(version)).toBe(true);
  });

  it.each(['20.18.3', '18.20.0', '8.0.0'])('reject Node %s', (version) => {
    expect(isUsableNode(version)).toBe(false);
  });

  it('detect a change since the last run', () => {
    const folder = mkdtempSync(join(tmpdir(), 'storefront-stamp-'));
    const file = join(folder, 'stamp');
    const stamp = stampOf(['package.json', 'lock']);
    expect(isStamped(file, stamp)).toBe(false);
    writeFileSync(file, stamp);
    expect(isStamped(file, stamp)).toBe(true);
    expect(isStamped(file, stampOf(['package.json', 'another lock']))).toBe(false);
    rmSync(folder, { recursive: true });
  });

  it('distinguish parts with the same concatenation', () => {
    expect(stampOf(['ab', 'c'])).not.toBe(stampOf(['a', 'bc']));
  });
});
