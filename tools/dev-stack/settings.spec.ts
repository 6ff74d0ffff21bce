import { EnvironmentError } from '#config';
import { serverNames } from '#contracts';
import { parseFlags, parseReplicas, readSettings } from './settings.js';

describe('the flags of npm start', () => {
  it('default to one process per app, demo products and a permanent data folder', () => {
    const flags = parseFlags([]);
    expect(flags).toMatchObject({ demo: true, temporary: false });
    expect(flags.replicas).toEqual(Object.fromEntries(serverNames.map((app) => [app, 1])));
  });

  it('set the number of processes by app', () => {
    const { replicas } = parseFlags(['--replicas', 'catalog=2, material-rendering=3']);
    expect(replicas).toMatchObject({ catalog: 2, 'material-rendering': 3, social: 1 });
  });

  it.each([
    ['cataloge=2', 'unknown app "cataloge"'],
    ['catalog', 'catalog needs a number from 1 to 32, not ""'],
    ['catalog=0', 'not "0"'],
    ['catalog=-1', 'not "-1"'],
    ['catalog=1.5', 'not "1.5"'],
    ['catalog=33', 'not "33"'],
    ['gateway=2', 'the stack has one gateway'],
  ])('reject --replicas %s with one line', (text, reason) => {
    expect(() => parseReplicas(text)).toThrow(reason);
    expect(() => parseFlags([`--replicas=${text}`])).toThrow(expect.objectContaining({ name: 'StartFailure' }));
  });

  it('reject an unknown flag with a line that mentions --help', () => {
    expect(() => parseFlags(['--replica', 'catalog=2'])).toThrow(/^Unknown option '--replica'.*--help\)$/);
  });
});

describe('the settings of npm start', () => {
  it('have defaults', () => {
    const settings = readSettings({});
    expect(settings).toMatchObject({ port: 3000, host: '127.0.0.1', baseUrl: 'http://localhost:3000' });
    expect(settings.dataDir).toMatch(/^\/.*\.data$/);
    expect(settings.blobStoreUrl).toBe(`file://${settings.dataDir}/blobs`);
    expect(settings.databaseUrl).toBeUndefined();
  });

  it('derive the public URL from the port unless it is set', () => {
    expect(readSettings({ PORT: '4000' }).baseUrl).toBe('http://localhost:4000');
    expect(readSettings({ PORT: '4000', BASE_URL: 'https://shop.example/' }).baseUrl).toBe('https://shop.example');
  });

  it('reject an unsupported blob store URL', () => {
    expect(() => readSettings({ BLOB_STORE_URL: 'ftp://blobs' })).toThrow(
      'BLOB_STORE_URL: must be a URL that starts with file:// or s3://',
    );
  });

  it('reject an invalid port', () => {
    expect(() => readSettings({ PORT: '70000' })).toThrow(EnvironmentError);
    expect(() => readSettings({ PORT: 'http' })).toThrow(/PORT/);
  });
});
