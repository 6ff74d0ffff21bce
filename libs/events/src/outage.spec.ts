import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { isOutage } from './outage.js';

const withCode = (code: string): Error => Object.assign(new Error('it failed'), { code });
const errorWith = (message: string): Error => new Error(message);

describe('isOutage', () => {
  it.each(['08006', '28000', '28P01', '53100', '53300', '57P01', '57P03', '55P03', '57014', '40001', '40P01', '25006'])(
    'is true for SQLSTATE %s',
    (code) => expect(isOutage(withCode(code))).toBe(true),
  );

  it.each(['ECONNREFUSED', 'ETIMEDOUT', 'EAI_AGAIN', 'ENOSPC', 'EIO', 'EACCES', 'EROFS'])('is true for %s', (code) =>
    expect(isOutage(withCode(code))).toBe(true),
  );

  it.each(['service.unavailable', 'service.overloaded', 'service.no-answer'] as const)('is true for %s', (code) =>
    expect(isOutage(new DomainError(problems[code], 'unavailable'))).toBe(true),
  );

  it.each(['OOM command not allowed', 'READONLY You can', 'LOADING Redis is', 'Connection is closed.'])(
    'is true for an error of Redis or ioredis without a code: %s',
    (message) => expect(isOutage(errorWith(message))).toBe(true),
  );

  it('is true for an outage nested in another error', () => {
    const outage = withCode('ECONNREFUSED');
    expect(isOutage(new Error('fetch failed', { cause: new AggregateError([outage]) }))).toBe(true);
  });

  it.each([
    withCode('23505'),
    withCode('22P02'),
    withCode('42P01'),
    withCode('ENOENT'),
    errorWith('invalid event'),
    new DomainError(problems['service.failed'], 'a defect'),
    new DomainError(problems['material.not-found'], 'missing'),
    'a text',
    null,
  ])('is false for %s', (error) => expect(isOutage(error)).toBe(false));

  it('terminates for circular causes', () => {
    const error = errorWith('one');
    error.cause = new Error('two', { cause: error });
    expect(isOutage(error)).toBe(false);
  });
});
