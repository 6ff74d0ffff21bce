import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { EnvironmentError, readEnvironment } from './environment.js';
import { secret, serviceSettings, wholeNumber } from './shared-settings.js';

const Shape = z.object({ PORT: wholeNumber(3000, 1, 65_535), SIGNING_SECRET: secret, NAME: z.string().default('x') });
const good = 'a'.repeat(32);

describe('readEnvironment', () => {
  it('returns typed values and defaults; an empty variable is unset', () => {
    expect(readEnvironment(Shape, { SIGNING_SECRET: good, PORT: '8080', NAME: '' })).toEqual({
      PORT: 8080,
      SIGNING_SECRET: good,
      NAME: 'x',
    });
  });

  it('reports all invalid variables together, without their values', () => {
    const read = () => readEnvironment(Shape, { SIGNING_SECRET: 'short-secret', PORT: 'eighty' });
    expect(read).toThrow(EnvironmentError);
    expect(read).toThrow(/PORT: .*\n.*SIGNING_SECRET: must have at least 32 characters/);
    expect(read).not.toThrow(/short-secret|eighty/);
  });

  it('reads a secret from the file that NAME_FILE names', () => {
    const folder = mkdtempSync(join(tmpdir(), 'env-'));
    writeFileSync(join(folder, 'secret'), `${good}\n`);
    const environment = { SIGNING_SECRET_FILE: join(folder, 'secret') };
    expect(readEnvironment(Shape, environment).SIGNING_SECRET).toBe(good);
    expect(() => readEnvironment(Shape, { ...environment, SIGNING_SECRET: good })).toThrow('not both');
    rmSync(folder, { recursive: true });
    expect(() => readEnvironment(Shape, environment)).toThrow('SIGNING_SECRET_FILE: cannot be read (ENOENT)');
  });

  it('reports unreadable files with the other errors, each once', () => {
    const Both = Shape.extend({ KEY: secret });
    const environment = { SIGNING_SECRET_FILE: '/absent/1', KEY_FILE: '/absent/2', PORT: 'eighty' };
    let problems: readonly string[] = [];
    try {
      readEnvironment(Both, environment);
    } catch (error) {
      problems = (error as EnvironmentError).problems;
    }
    expect(problems).toEqual([
      'SIGNING_SECRET_FILE: cannot be read (ENOENT)',
      'KEY_FILE: cannot be read (ENOENT)',
      expect.stringMatching(/^PORT: /),
    ]);
  });

  it('reads a setting whose own name ends in _FILE as a path', () => {
    const Paths = z.object({ CERT_FILE: z.string().optional() });
    expect(readEnvironment(Paths, { CERT_FILE: '/absent' })).toEqual({ CERT_FILE: '/absent' });
  });

  it('reads the file without its last line break, and never reports its content', () => {
    const folder = mkdtempSync(join(tmpdir(), 'env-'));
    const file = join(folder, 'secret');
    const read = () => readEnvironment(Shape, { SIGNING_SECRET_FILE: file });
    for (const end of ['', '\n', '\r\n']) {
      writeFileSync(file, ` ${good}${end}`);
      expect(read().SIGNING_SECRET).toBe(` ${good}`);
    }
    writeFileSync(file, 'too-short-to-be-one\n');
    expect(read).toThrow('SIGNING_SECRET: must have at least 32 characters');
    expect(read).not.toThrow(/too-short/);
    writeFileSync(file, '\n');
    expect(read).toThrow('SIGNING_SECRET: must have at least 32 characters');
    expect(() => readEnvironment(Shape, { SIGNING_SECRET_FILE: folder })).toThrow('cannot be read (EISDIR)');
    rmSync(folder, { recursive: true });
  });

  it('rejects a URL with another scheme', () => {
    const environment = { DATABASE_URL: 'mysql://x', REDIS_REQUESTS_URL: 'nonsense', REDIS_JOBS_URL: 'redis://x' };
    expect(() => readEnvironment(serviceSettings, environment)).toThrow(
      /DATABASE_URL: must be a URL that starts with postgres:\/\/[^]*REDIS_REQUESTS_URL: must be a URL/,
    );
  });
});

describe('OTEL_EXPORTER_OTLP_HEADERS', () => {
  const Headers = z.object({ OTEL_EXPORTER_OTLP_HEADERS: serviceSettings.shape.OTEL_EXPORTER_OTLP_HEADERS });
  const read = (text: string) => readEnvironment(Headers, { OTEL_EXPORTER_OTLP_HEADERS: text });

  it('reads the format of OpenTelemetry', () => {
    const headers = { authorization: 'Basic dXNlcg==', 'x-api-key': '1' };
    expect(read('Authorization=Basic%20dXNlcg==, x-api-key = 1')).toEqual({ OTEL_EXPORTER_OTLP_HEADERS: headers });
    expect(read('')).toEqual({});
  });

  it.each(['a key of mine', 'x-api-key=%zz', 'x-api-key=1,'])('rejects %s without quoting it', (text) => {
    expect(() => read(text)).toThrow('OTEL_EXPORTER_OTLP_HEADERS: must look like name=value,name=value');
    expect(() => read(text)).not.toThrow(text);
  });
});
