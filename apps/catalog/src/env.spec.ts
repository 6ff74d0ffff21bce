import { EnvironmentError, readEnvironment } from '#config';
import { Env, settingsOf } from './env.js';

const required = {
  DATABASE_URL: 'postgres://localhost/storefront',
  REDIS_REQUESTS_URL: 'redis://localhost',
  REDIS_JOBS_URL: 'redis://localhost',
  BASE_URL: 'https://shop.example.com/',
  IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
};

describe('settings of the catalog', () => {
  it('have defaults, except for required ones', () => {
    expect(settingsOf(readEnvironment(Env, required))).toEqual({
      baseUrl: 'https://shop.example.com',
      taxPercent: 10,
      imageSigningSecret: required.IMAGE_SIGNING_SECRET,
      cacheBytes: 64 * 1024 ** 2,
      timeZone: 'UTC',
      dateTimeFormat: 'spec',
    });
  });

  it('report all errors at once and never print a secret', () => {
    const invalid = {
      ...required,
      BASE_URL: 'shop',
      IMAGE_SIGNING_SECRET: 'hunter2',
      TAX_PERCENT: '-1',
      TIME_ZONE: 'Moon',
    };
    const read = () => readEnvironment(Env, { ...invalid, DATE_TIME_FORMAT: 'unix' });
    expect(read).toThrow(EnvironmentError);
    for (const name of ['BASE_URL', 'IMAGE_SIGNING_SECRET', 'TAX_PERCENT', 'TIME_ZONE', 'DATE_TIME_FORMAT']) {
      expect(read).toThrow(name);
    }
    expect(read).not.toThrow('hunter2');
  });
});
