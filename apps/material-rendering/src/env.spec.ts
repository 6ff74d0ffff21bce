import { readEnvironment } from '#config';
import { Env } from './env.js';

const needed = {
  DATABASE_URL: 'postgres://user@127.0.0.1/storefront',
  REDIS_REQUESTS_URL: 'redis://127.0.0.1:6379/0',
  REDIS_JOBS_URL: 'redis://127.0.0.1:6379/1',
  BLOB_STORE_URL: 'file:///var/lib/blobs',
};

describe('the environment of material-rendering', () => {
  it('has both roles, the usual image sizes and no allowed hosts when nothing is said', () => {
    const env = readEnvironment(Env, needed);
    expect([...env.RENDERING_ROLES]).toEqual(['requests', 'workers']);
    expect(env.IMAGE_SIZES.has('500x500')).toBe(true);
    expect(env.TEXTURE_ALLOWED_HOSTS.size).toBe(0);
  });

  it('reads lists', () => {
    const env = readEnvironment(Env, {
      ...needed,
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
  ])('refuses %s=%s by name', (name, value) => {
    expect(() => readEnvironment(Env, { ...needed, [name]: value })).toThrow(name);
  });

  it.each(['http://hook.example.com/purge', 'http://[2001:db8::1]/purge', 'http://10.0.0.1/purge'])(
    'refuses IMAGE_PURGE_URL=%s with a secret, which would go in clear',
    (url) => {
      expect(readEnvironment(Env, { ...needed, IMAGE_PURGE_URL: url })).toMatchObject({ IMAGE_PURGE_URL: url });
      const both = { ...needed, IMAGE_PURGE_URL: url, IMAGE_PURGE_SECRET: 'x' };
      expect(() => readEnvironment(Env, both)).toThrow('IMAGE_PURGE_URL: must begin with https://');
    },
  );

  it('refuses an IMAGE_PURGE_URL that is none by name, with a secret too', () => {
    const both = { ...needed, IMAGE_PURGE_URL: 'none', IMAGE_PURGE_SECRET: 'x' };
    expect(() => readEnvironment(Env, both)).toThrow('IMAGE_PURGE_URL: must be a URL that starts with http://');
  });

  it.each([
    'https://hook.example.com',
    'http://127.0.0.1:8080',
    'http://[::1]',
    'http://hook:8080',
    'http://hook.shop.svc',
  ])('takes IMAGE_PURGE_URL=%s with a secret', (url) => {
    const both = { ...needed, IMAGE_PURGE_URL: url, IMAGE_PURGE_SECRET: 'x' };
    expect(readEnvironment(Env, both)).toMatchObject({ IMAGE_PURGE_URL: url });
  });

  it('has both keys of a bucket or neither', () => {
    expect(() => readEnvironment(Env, { ...needed, AWS_SECRET_ACCESS_KEY: 'x' })).toThrow(
      'AWS_ACCESS_KEY_ID: is missing',
    );
  });
});
