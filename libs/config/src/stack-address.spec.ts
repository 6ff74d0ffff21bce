import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { asReachedHere, gatewayAddress, requestsUrl } from './stack-address.js';

describe('where the tools find the stack', () => {
  const before = { ...process.env };
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'storefront-address-'));
    process.env.DATA_DIR = folder;
    delete process.env.REDIS_REQUESTS_URL;
    delete process.env.REDIS_REQUESTS_URL_FILE;
    delete process.env.GATEWAY_URL;
    const urls = { requestsUrl: 'redis://kept', baseUrl: 'https://kept.example', localUrl: 'http://127.0.0.1:3000' };
    writeFileSync(join(folder, 'stack.json'), JSON.stringify({ ...urls, pid: process.pid }));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
    process.env = { ...before };
  });

  it('is the environment before the running stack', () => {
    expect(requestsUrl()).toBe('redis://kept');
    process.env.REDIS_REQUESTS_URL = 'redis://given';
    expect(requestsUrl()).toBe('redis://given');
  });

  it('is the running stack when the variable is empty', () => {
    process.env.REDIS_REQUESTS_URL = '';
    expect(requestsUrl()).toBe('redis://kept');
  });

  it('may be in a file', () => {
    process.env.REDIS_REQUESTS_URL_FILE = join(folder, 'url');
    writeFileSync(join(folder, 'url'), 'redis://from-file\n');
    expect(requestsUrl()).toBe('redis://from-file');
  });

  it('is refused in one line when it is no URL', () => {
    process.env.REDIS_REQUESTS_URL = 'localhost';
    expect(requestsUrl).toThrow(/^REDIS_REQUESTS_URL: must be a URL that starts with redis:\/\/ or rediss:\/\/$/);
  });

  it('is a gateway that is reached in another way than clients reach it', () => {
    process.env.BASE_URL = 'https://shop.example/';
    expect(gatewayAddress()).toMatchObject({ baseUrl: 'https://kept.example', localUrl: 'http://127.0.0.1:3000' });
    process.env.GATEWAY_URL = 'http://gateway:3000/';
    expect(gatewayAddress()).toEqual({ baseUrl: 'https://shop.example', localUrl: 'http://gateway:3000' });
    delete process.env.BASE_URL;
    expect(gatewayAddress()).toEqual({ baseUrl: 'http://gateway:3000', localUrl: 'http://gateway:3000' });
  });

  it('has a local address for every URL below the public one', () => {
    const stack = { baseUrl: 'https://shop.example/api', localUrl: 'http://127.0.0.1:3000' };
    expect(asReachedHere('https://shop.example/api/i/{width}x{height}?s=1', stack)).toBe(
      'http://127.0.0.1:3000/i/{width}x{height}?s=1',
    );
    expect(asReachedHere('https://shop.example/apis/1', stack)).toBe('https://shop.example/apis/1');
  });
});
