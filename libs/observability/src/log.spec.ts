import { serializeError } from './log.js';

describe('serializeError', () => {
  it('returns type, message and code, and no other properties that drivers add', () => {
    const error = Object.assign(new Error('duplicate key'), {
      code: '23505',
      constraint: 'users_name_unique',
      parameters: ['victim@example.com', '$argon2id$secret'],
      command: { name: 'rpush', args: ['apiKey'] },
      cause: Object.assign(new TypeError('inner'), { query: 'select secret' }),
    });
    const facts = serializeError(error);
    expect(facts).toMatchObject({
      type: 'Error',
      message: 'duplicate key',
      code: '23505',
      cause: { type: 'TypeError' },
    });
    expect(JSON.stringify({ ...facts, stack: '', cause: { ...facts.cause, stack: '' } })).not.toMatch(
      /victim|argon2id|rpush|select/,
    );
  });

  it('escapes control characters in the message, so that only stack frames start a new line', () => {
    const facts = serializeError(
      new TypeError('no such thing: x\r\n{"level":"fatal"}\u001b[2J\u009b1m\u2028\n    at planted'),
    );
    const line = 'no such thing: x\\u000d\\u000a{"level":"fatal"}\\u001b[2J\\u009b1m\\u2028\\u000a    at planted';
    expect(facts.message).toBe(line);
    const [first, ...frames] = facts.stack!.split('\n');
    expect(first).toBe(`TypeError: ${line}`);
    expect(frames.length).toBeGreaterThan(0);
    for (const frame of frames) expect(frame).toMatch(/^ {4}at (?!planted)/);
  });

  it('returns a fixed message for a value that is not an Error', () => {
    expect(serializeError('text with a secret')).toEqual({ type: 'string', message: 'not an error' });
  });
});
