import { readEnvironment } from '#config';
import { Env } from './env.js';

const required = {
  DATABASE_URL: 'postgres://user@127.0.0.1/storefront',
  REDIS_REQUESTS_URL: 'redis://127.0.0.1:6379/0',
  REDIS_JOBS_URL: 'redis://127.0.0.1:6379/1',
  BLOB_STORE_URL: 'file:///var/lib/blobs',
};

describe('environment of material-rendering', () => {
  it('defaults to both roles, the standard image sizes and no allowed hosts', () => {
    const env = readEnvironment(Env, required);
    expect([...env.RENDERING_ROLES]).toEqual(['requests', 'workers']);
    expect(env.IMAGE_SIZES.has('500x500')).toBe(true);
    expect(env.TEXTURE_ALLOWED_HOSTS.size).toBe(0);
  });

  it('parses comma-separated lists', () => {
    const env = readEnvironment(Env, {
      ...required,
      RENDERING_ROLES: 'workers',
      IMAGE_SIZES: '100x100, 200x50',
      TEXTURE_ALLOWED_HOSTS: 'Images.test:8080,[::1]',
    });
    expect([...env.RENDERING_ROLES]).toEqual(['workers']);
    expect([...env.IMAGE_SIZES]).toEqual(['100x100', '200x50']);
    expect([...env.TEXTURE_ALLOWED_HOSTS]).toEqual(['images.test:8080', '[::1]']);
  });

  it.each([
    ['RENDERING_ROLES', 'everything'],
    ['RENDERING_ROLES', ','],
    ['IMAGE_SIZES', '100'],
    ['IMAGE_SIZES', '0x100'],
    ['IMAGE_SIZES', '5000x5000'],
    ['TEXTURE_ALLOWED_HOSTS', 'http://inside/'],
    ['RENDER_CONCURRENCY', '0'],
  ])('rejects %s=%s and names the variable', (name, value) => {
    expect(() => readEnvironment(Env, { ...required, [name]: value })).toThrow(name);
  });

  it.each(['http://hook.example.com/purge', 'http://[2001:db8::1]/purge', 'http://10.0.0.1/purge'])(
    'rejects IMAGE_PURGE_URL=%s with a secret, which would be sent unencrypted',
    (url) => {
      expect(readEnvironment(Env, { ...required, IMAGE_PURGE_URL: url })).toMatchObject({ IMAGE_PURGE_URL: url });
      const both = { ...required, IMAGE_PURGE_URL: url, IMAGE_PURGE_SECRET: 'x' };
      expect(() => readEnvironment(Env, both)).toThrow('IMAGE_PURGE_URL: must begin with https://');
    },
  );

  it('rejects an IMAGE_PURGE_URL that is not a URL, with a secret, and names the variable', () => {
    const both = { ...required, IMAGE_PURGE_URL: 'none', IMAGE_PURGE_SECRET: 'x' };
    expect(() => readEnvironment(Env, both)).toThrow('IMAGE_PURGE_URL: must be a URL that starts with http://');
  });

  it.each([
    'https://hook.example.com',
    'http://127.0.0.1:8080',
    'http://[::1]',
    'http://hook:8080',
    'http://hook.shop.svc',
  ])('accepts IMAGE_PURGE_URL=%s with a secret', (url) => {
    const both = { ...required, IMAGE_PURGE_URL: url, IMAGE_PURGE_SECRET: 'x' };
    expect(readEnvironment(Env, both)).toMatchObject({ IMAGE_PURGE_URL: url });
  });

  it('requires both keys of a bucket or neither', () => {
    expect(() => readEnvironment(Env, { ...required, AWS_SECRET_ACCESS_KEY: 'x' })).toThrow(
      'AWS_ACCESS_KEY_ID: is missing',
    );
  });
});
