import { EnvironmentError, readEnvironment } from '#config';
import { Env, settingsOf } from './env.js';

const usable = {
  DATABASE_URL: 'postgres://localhost/storefront',
  REDIS_REQUESTS_URL: 'redis://localhost',
  REDIS_JOBS_URL: 'redis://localhost',
  BASE_URL: 'https://shop.example.com/',
  IMAGE_SIGNING_SECRET: 'a secret that is long enough for a key',
};

describe('settings of the catalogue', () => {
  it('have a default for all that has a sensible one', () => {
    expect(settingsOf(readEnvironment(Env, usable))).toEqual({
      baseUrl: 'https://shop.example.com',
      taxPercent: 10,
      imageSigningSecret: usable.IMAGE_SIGNING_SECRET,
      cacheBytes: 64 * 1024 ** 2,
      timeZone: 'UTC',
      dateTimeFormat: 'spec',
    });
  });

  it('report everything that is wrong at once and never print a secret', () => {
    const wrong = {
      ...usable,
      BASE_URL: 'shop',
      IMAGE_SIGNING_SECRET: 'hunter2',
      TAX_PERCENT: '-1',
      TIME_ZONE: 'Moon',
    };
    const read = () => readEnvironment(Env, { ...wrong, DATE_TIME_FORMAT: 'unix' });
    expect(read).toThrow(EnvironmentError);
    for (const name of ['BASE_URL', 'IMAGE_SIGNING_SECRET', 'TAX_PERCENT', 'TIME_ZONE', 'DATE_TIME_FORMAT']) {
      expect(read).toThrow(name);
    }
    expect(read).not.toThrow('hunter2');
  });
});
