import { readArguments } from './arguments.js';
import { UsageError } from './command.js';

describe('the operator command line', () => {
  it('reads noun, verb and flags', () => {
    const asked = readArguments(['user', 'create', '--name', 'a', '--email', 'a@b.c', '--password', 'p', '--json']);
    expect(asked).toMatchObject({ kind: 'run', json: true, flags: { name: 'a', email: 'a@b.c', password: 'p' } });
  });

  it.each([
    [['usr', 'show'], 'there is no usr'],
    [['constructor', 'show'], 'there is no constructor'],
    [['user', 'dance'], 'user: there is no verb dance'],
    [['user', 'create', '--name', 'x'], '--email, --password are missing'],
    [['user', 'show'], '--name is missing'],
    [['user', 'show', '--name'], 'user show:'],
    [['user', 'show', '--nme', 'x'], "Unknown option '--nme'"],
    [['user', 'show', 'x'], 'user show:'],
  ])('refuses %j with a sentence', (words, sentence) => {
    expect(() => readArguments(words)).toThrow(UsageError);
    expect(() => readArguments(words)).toThrow(sentence);
  });

  it.each([[[]], [['--help']], [['user']], [['user', '--help']], [['user', 'create', '--help']]])(
    'helps on %j',
    (words) => {
      const asked = readArguments(words);
      expect(asked.kind).toBe('help');
      expect((asked as { text: string }).text).toContain('Usage: npm run --silent operator --');
    },
  );
});
