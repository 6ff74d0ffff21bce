import { setTimeout as sleep } from 'node:timers/promises';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { retryUntilServicesRun, ensureUsers } from './seed.js';

const rejection = (code: 'user.not-found' | 'user.name-taken') => new DomainError(problems[code], 'No.');

/** Returns clients with a fake accounts service of the given users, and the log of its requests. */
function fakeAccounts(existing: string[]) {
  const log: string[] = [];
  const handlers = {
    'keys.show-by-name': ({ userName }: { userName: string }) => {
      if (!existing.includes(userName)) throw rejection('user.not-found');
      return { apiKey: `key of ${userName}` };
    },
    'users.create': ({ name }: { name: string }) => {
      if (existing.includes(name)) throw rejection('user.name-taken');
      existing.push(name);
      return { apiKey: `key of ${name}` };
    },
  };
  const call = async (name: keyof typeof handlers, request: { name: string; userName: string }) => {
    const user = request.name || request.userName;
    log.push(`${name} ${user}`);
    await sleep(1);
    return handlers[name](request);
  };
  const clients = { of: () => ({ call }) } as unknown as Parameters<typeof ensureUsers>[0];
  return { clients, log, handlers };
}

describe('ensureUsers', () => {
  it('creates the users in sequence, demo first, so that their ids are always the same', async () => {
    const { clients, log } = fakeAccounts([]);
    expect((await ensureUsers(clients, 'password'))[0]).toBe('key of demo');
    expect(log).toEqual(
      ['demo', 'hanako', 'taro'].flatMap((name) => [`keys.show-by-name ${name}`, `users.create ${name}`]),
    );
  });

  it('does not create existing users, so that no password is hashed', async () => {
    const { clients, log } = fakeAccounts(['demo', 'hanako', 'taro']);
    expect((await ensureUsers(clients, 'password'))[0]).toBe('key of demo');
    expect(log).toEqual(['keys.show-by-name demo', 'keys.show-by-name hanako', 'keys.show-by-name taro']);
  });

  it('accepts users created by a concurrent start', async () => {
    const { clients, handlers } = fakeAccounts(['demo', 'hanako', 'taro']);
    const { 'keys.show-by-name': show } = handlers;
    let calls = 0;
    handlers['keys.show-by-name'] = (request) => {
      calls += 1;
      if (calls === 1) throw rejection('user.not-found');
      return show(request);
    };
    expect((await ensureUsers(clients, 'password'))[0]).toBe('key of demo');
  });

  it('fails with any other error without creating users', async () => {
    const { clients, log, handlers } = fakeAccounts([]);
    handlers['keys.show-by-name'] = () => {
      throw new Error('the database is down');
    };
    await expect(ensureUsers(clients, 'password')).rejects.toThrow('the database is down');
    expect(log).toEqual(['keys.show-by-name demo']);
  });
});

describe('retryUntilServicesRun', () => {
  const unavailable = new DomainError(problems['service.unavailable'], 'No replica is up.');

  it('retries the step until the services have started', async () => {
    let calls = 0;
    const step = (): Promise<string> => {
      calls += 1;
      return calls < 3 ? Promise.reject(unavailable) : Promise.resolve('done');
    };
    expect(await retryUntilServicesRun(step)).toBe('done');
    expect(calls).toBe(3);
  });

  it('fails with service.unavailable after the timeout', async () => {
    await expect(retryUntilServicesRun(() => Promise.reject(unavailable), 100)).rejects.toBe(unavailable);
  });

  it('fails immediately with any other error', async () => {
    let calls = 0;
    const step = (): Promise<never> => {
      calls += 1;
      return Promise.reject(rejection('user.not-found'));
    };
    await expect(retryUntilServicesRun(step)).rejects.toThrow('No.');
    expect(calls).toBe(1);
  });
});
