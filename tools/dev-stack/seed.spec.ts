import { setTimeout as sleep } from 'node:timers/promises';
import { provideUsers } from './seed.js';

describe('the demo users', () => {
  it('are made one after the other, demo first, so that their ids are the same everywhere', async () => {
    const log: string[] = [];
    const call = async (_name: string, { name }: { name: string }) => {
      log.push(`${name} asked`);
      await sleep(1);
      log.push(`${name} made`);
      return { apiKey: `key of ${name}` };
    };
    const clients = { of: () => ({ call }) } as unknown as Parameters<typeof provideUsers>[0];
    expect((await provideUsers(clients, 'password'))[0]).toBe('key of demo');
    expect(log).toEqual(['demo', 'hanako', 'taro'].flatMap((name) => [`${name} asked`, `${name} made`]));
  });
});
