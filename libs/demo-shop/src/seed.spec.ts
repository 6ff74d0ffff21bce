import { setTimeout as sleep } from 'node:timers/promises';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { onceServicesRun, provideUsers } from './seed.js';

const refused = (code: 'user.not-found' | 'user.name-taken') => new DomainError(problems[code], 'No.');

/** The service of users who are known by their names, and what it is asked. */
function accounts(known: string[]) {
  const log: string[] = [];
  const answers = {
    'keys.show-by-name': ({ userName }: { userName: string }) => {
      if (!known.includes(userName)) throw refused('user.not-found');
      return { apiKey: `key of ${userName}` };
    },
    'users.create': ({ name }: { name: string }) => {
      if (known.includes(name)) throw refused('user.name-taken');
      known.push(name);
      return { apiKey: `key of ${name}` };
    },
  };
  const call = async (name: keyof typeof answers, request: { name: string; userName: string }) => {
    const who = request.name || request.userName;
    log.push(`${name} ${who}`);
    await sleep(1);
    return answers[name](request);
  };
  const clients = { of: () => ({ call }) } as unknown as Parameters<typeof provideUsers>[0];
  return { clients, log, answers };
}

describe('the demo users', () => {
  it('are made one after the other, demo first, so that their ids are the same everywhere', async () => {
    const { clients, log } = accounts([]);
    expect((await provideUsers(clients, 'password'))[0]).toBe('key of demo');
    expect(log).toEqual(
      ['demo', 'hanako', 'taro'].flatMap((name) => [`keys.show-by-name ${name}`, `users.create ${name}`]),
    );
  });

  it('are made once: a second start hashes no password', async () => {
    const { clients, log } = accounts(['demo', 'hanako', 'taro']);
    expect((await provideUsers(clients, 'password'))[0]).toBe('key of demo');
    expect(log).toEqual(['keys.show-by-name demo', 'keys.show-by-name hanako', 'keys.show-by-name taro']);
  });

  it('may be made by another start in the same moment', async () => {
    const { clients, answers } = accounts(['demo', 'hanako', 'taro']);
    const { 'keys.show-by-name': show } = answers;
    let asked = 0;
    answers['keys.show-by-name'] = (request) => {
      asked += 1;
      if (asked === 1) throw refused('user.not-found');
      return show(request);
    };
    expect((await provideUsers(clients, 'password'))[0]).toBe('key of demo');
  });

  it('are not made when something else is wrong', async () => {
    const { clients, log, answers } = accounts([]);
    answers['keys.show-by-name'] = () => {
      throw new Error('the database is away');
    };
    await expect(provideUsers(clients, 'password')).rejects.toThrow('the database is away');
    expect(log).toEqual(['keys.show-by-name demo']);
  });
});

describe('a step that waits for services', () => {
  const unavailable = new DomainError(problems['service.unavailable'], 'No replica is up.');

  it('is run again until they have started', async () => {
    let calls = 0;
    const step = (): Promise<string> => {
      calls += 1;
      return calls < 3 ? Promise.reject(unavailable) : Promise.resolve('done');
    };
    expect(await onceServicesRun(step)).toBe('done');
    expect(calls).toBe(3);
  });

  it('fails with their error when they do not start in time', async () => {
    await expect(onceServicesRun(() => Promise.reject(unavailable), 100)).rejects.toBe(unavailable);
  });

  it('fails at once with any other error', async () => {
    let calls = 0;
    const step = (): Promise<never> => {
      calls += 1;
      return Promise.reject(refused('user.not-found'));
    };
    await expect(onceServicesRun(step)).rejects.toThrow('No.');
    expect(calls).toBe(1);
  });
});
