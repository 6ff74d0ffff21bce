import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';
import {
  apps,
  publishers,
  services,
  serverNames,
  serviceNames,
  subscriptions,
  type EventName,
  type Message,
} from '#contracts';
import { broadcastUsers, redisPassword, redisUsers, usersOf } from './redis-users.mjs';

/** Returns the sources of an app without tests. */
const sourcesOf = (app: string): string =>
  readdirSync(projectPath('apps', app, 'src'), { recursive: true, encoding: 'utf8' })
    .filter((file) => file.endsWith('.ts') && !/\.spec\.ts$|(?:^|\/)testing\//.test(file))
    .map((file) => readFileSync(projectPath('apps', app, 'src', file), 'utf8'))
    .join('\n');

describe('the table of grants', () => {
  it('has the services, the gateway and the operator', () => {
    expect([...redisUsers.requests].sort()).toEqual([...serverNames, 'operator'].sort());
    expect([...redisUsers.jobs].sort()).toEqual([...serviceNames, 'operator'].sort());
  });

  it.each(serviceNames)('lets %s publish to the subscribers of the events that it appends', (service) => {
    const appended = /(?:appendEvents?\(\s*\w+,\s*|insertOfEvent\(|name: )'([a-z-]+\.[a-z-]+)'/g;
    const events = [...sourcesOf(service).matchAll(appended)]
      .map(([, name]) => name!)
      .filter((name): name is EventName => name in subscriptions);
    const its = (Object.keys(publishers) as EventName[]).filter((name) => publishers[name] === service);
    expect([...new Set(events)].sort()).toEqual(its.sort());
    const all = new Set(its.flatMap((name): readonly string[] => subscriptions[name]));
    expect(
      [...apps[service].publishesTo, ...(broadcastUsers.publish.includes(service) ? ['everyone'] : [])].sort(),
    ).toEqual([...all].sort());
  });

  it.each(serverNames)('lets %s subscribe to broadcasts if it has a listener', (app) => {
    expect(broadcastUsers.subscribe.includes(app)).toBe(sourcesOf(app).includes('new BroadcastListener('));
  });

  it('derives different passwords, and stores hashes only', () => {
    const passwords = redisUsers.requests.map((user) => redisPassword('a secret', user));
    expect(new Set(passwords).size).toBe(redisUsers.requests.length);
    const file = usersOf('requests', 'a secret');
    expect(passwords.filter((password) => file.includes(password))).toEqual([]);
  });
});

it('messages reserved for the operator include none that the gateway sends', () => {
  const all = serviceNames.flatMap((service) =>
    Object.entries<Message>(services[service])
      .filter(([, { lane }]) => lane === 'operator')
      .map(([name]) => name),
  );
  const gateway = sourcesOf('gateway');
  expect(all.filter((name) => gateway.includes(`call('${name}'`) || gateway.includes(`request('${name}'`))).toEqual([]);
  expect(all).toEqual(
    expect.arrayContaining([
      ...[
        'tokens.create',
        'tokens.revoke',
        'keys.show-by-name',
        'keys.replace-by-name',
        'users.create',
        'users.remove',
      ],
      ...['users.reset-password', 'applications.remove', 'materials.violate', 'items.load', 'sales.record'],
    ]),
  );
});
