import { z } from 'zod';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { submit, typedLine } from './form.js';

describe('submit', () => {
  const shape = z.object({ name: typedLine.pipe(z.string().min(1)), size: z.enum(['S', 'M']) });
  const sent = { name: ' hanako ', size: 'M' };

  it('passes trimmed values to the action', async () => {
    expect(await submit(shape, sent, ({ name }) => Promise.resolve(name))).toEqual({ value: 'hanako' });
  });

  it('returns an error for each invalid field, and does not run the action', async () => {
    const act = () => Promise.reject(new Error('action was run'));
    const errors = { name: 'name.invalid', size: 'size.invalid' };
    expect(await submit(shape, { name: ' ' }, act)).toEqual({ errors, status: 422 });
  });

  it('maps a domain error to its field or to the form', async () => {
    const headers = { 'Retry-After': '900' };
    const reject = (code: keyof typeof problems) =>
      submit(shape, sent, () => Promise.reject(new DomainError(problems[code], 'No.', undefined, headers)));
    expect(await reject('user.name-taken')).toEqual({ errors: { name: 'user.name-taken' }, status: 409, headers });
    expect(await reject('sign-in.too-many')).toEqual({ errors: { form: 'sign-in.too-many' }, status: 429, headers });
    await expect(reject('service.unavailable')).rejects.toThrow('No.');
  });
});
