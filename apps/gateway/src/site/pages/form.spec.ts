import { z } from 'zod';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { submit, typedLine } from './form.js';

describe('a form', () => {
  const shape = z.object({ name: typedLine.pipe(z.string().min(1)), size: z.enum(['S', 'M']) });
  const sent = { name: ' hanako ', size: 'M' };

  it('is done with what was typed, without the spaces around it', async () => {
    expect(await submit(shape, sent, ({ name }) => Promise.resolve(name))).toEqual({ done: 'hanako' });
  });

  it('names every field of the wrong shape, and is not done', async () => {
    const act = () => Promise.reject(new Error('done'));
    const errors = { name: 'name.invalid', size: 'size.invalid' };
    expect(await submit(shape, { name: ' ' }, act)).toEqual({ errors, status: 422 });
  });

  it('puts a refusal beside the field that it is about, or above the form', async () => {
    const headers = { 'Retry-After': '900' };
    const refused = (code: keyof typeof problems) =>
      submit(shape, sent, () => Promise.reject(new DomainError(problems[code], 'No.', undefined, headers)));
    expect(await refused('user.name-taken')).toEqual({ errors: { name: 'user.name-taken' }, status: 409, headers });
    expect(await refused('sign-in.too-many')).toEqual({ errors: { form: 'sign-in.too-many' }, status: 429, headers });
    await expect(refused('service.unavailable')).rejects.toThrow('No.');
  });
});
