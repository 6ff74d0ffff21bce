import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { toLocalUrl, gatewayAddress, requestsUrl } from './stack-address.js';

describe('the address of the stack', () => {
  const before = { ...process.env };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'storefront-address-'));
    process.env.DATA_DIR = folder;
    delete process.env.REDIS_REQUESTS_URL;
    delete process.env.REDIS_REQUESTS_URL_FILE;
    delete process.env.GATEWAY_URL;
    const urls = {
      requestsUrl: 'redis://running',
      baseUrl: 'https://running.example',
      localUrl: 'http://127.0.0.1:3000',
    };
    writeFileSync(join(folder, 'stack.json'), JSON.stringify({ ...urls, pid: process.pid }));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    process.env = { ...before };
  });

  it('prefers the environment to the running stack', () => {
    expect(requestsUrl()).toBe('redis://running');
    process.env.REDIS_REQUESTS_URL = 'redis://given';
    expect(requestsUrl()).toBe('redis://given');
  });

  it('is that of the running stack when the variable is empty', () => {
    process.env.REDIS_REQUESTS_URL = '';
    expect(requestsUrl()).toBe('redis://running');
  });

  it('is read from the file that a _FILE variable names', () => {
    process.env.REDIS_REQUESTS_URL_FILE = join(folder, 'url');
    writeFileSync(join(folder, 'url'), 'redis://from-file\n');
    expect(requestsUrl()).toBe('redis://from-file');
  });

  it('rejects a value that is not a URL, in one line', () => {
    process.env.REDIS_REQUESTS_URL = 'localhost';
    expect(requestsUrl).toThrow(/^REDIS_REQUESTS_URL: must be a URL that starts with redis:\/\/ or rediss:\/\/$/);
  });

  it('has a public and a local URL of the gateway; BASE_URL applies only with GATEWAY_URL', () => {
    process.env.BASE_URL = 'https://shop.example/';
    expect(gatewayAddress()).toMatchObject({ baseUrl: 'https://running.example', localUrl: 'http://127.0.0.1:3000' });
    process.env.GATEWAY_URL = 'http://gateway:3000/';
    expect(gatewayAddress()).toEqual({ baseUrl: 'https://shop.example', localUrl: 'http://gateway:3000' });
    delete process.env.BASE_URL;
    expect(gatewayAddress()).toEqual({ baseUrl: 'http://gateway:3000', localUrl: 'http://gateway:3000' });
  });

  it('maps every URL below the public URL to a local URL', () => {
    const stack = { baseUrl: 'https://shop.example/api', localUrl: 'http://127.0.0.1:3000' };
    expect(toLocalUrl('https://shop.example/api/i/{width}x{height}?s=1', stack)).toBe(
      'http://127.0.0.1:3000/i/{width}x{height}?s=1',
    );
    expect(toLocalUrl('https://shop.example/apis/1', stack)).toBe('https://shop.example/apis/1');
  });
});
