import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { chromiumForTests, findChromium } from './chromium.mjs';

describe('the browser of the tests', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'storefront-path-'));
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  function program(place: string, name: string, exitCode = 0): string {
    mkdirSync(join(folder, place), { recursive: true });
    const file = join(folder, place, name);
    writeFileSync(file, `#!/bin/sh\nexit ${exitCode}\n`, { mode: 0o755 });
    return file;
  }

  it('is the file of CHROMIUM_PATH, if set', () => {
    program('bin', 'chromium');
    expect(findChromium({ CHROMIUM_PATH: '/opt/browser', PATH: join(folder, 'bin') })).toBe('/opt/browser');
  });

  it('is the first on PATH that prints its version', () => {
    program('a', 'chromium-browser', 1);
    writeFileSync(join(folder, 'a', 'chromium'), 'not executable');
    const file = program('b', 'google-chrome');
    expect(findChromium({ PATH: ['a', 'b'].map((it) => join(folder, it)).join(delimiter) })).toBe(file);
  });

  it('is undefined if there is none', () => {
    expect(findChromium({ PATH: folder })).toBeUndefined();
    expect(findChromium({})).toBeUndefined();
  });

  it('is required with REQUIRE_BROWSER=1', () => {
    expect(chromiumForTests({})).toBeUndefined();
    expect(() => chromiumForTests({ REQUIRE_BROWSER: '1' })).toThrow('Chromium was not found');
  });
});
