import { UsageError } from './command.js';
import { commands } from './commands.js';

describe('token create', () => {
  const create = (scope: string) => {
    const clients = { of: () => ({ call: (_name: string, payload: object) => payload }) } as never;
    return commands.token!.create!.run(clients, { user: 'demo', scope });
  };

  it.each(['', '  ', 'read dance'])('refuses the scope "%s" as wrong usage', (scope) => {
    expect(() => create(scope)).toThrow(UsageError);
    expect(() => create(scope)).toThrow(/^--scope: .*use read and write$/);
  });

  it('takes scopes separated by spaces', () => {
    expect(create('read  write')).toEqual({ userName: 'demo', scopes: ['read', 'write'] });
  });
});
