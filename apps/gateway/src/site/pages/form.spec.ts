import { z } from 'zod';
import { problems } from '#contracts';
import { DomainError } from '#kernel';
import { submit, typedLine } from './form.js';

describe('submit', () => {
  const shape = z.object({ name: typedLine.pipe(z.string().min(1)), size: z.enum(['S', 'M']) });
  const page = { countSubmission: () => Promise.resolve() };
  const sent = { name: ' hanako ', size: 'M' };

  it('passes trimmed values to the action', async () => {
    expect(await submit(page, shape, sent, ({ name }) => Promise.resolve(name))).toEqual({ value: 'hanako' });
  });

  it('returns an error for each invalid field, and does not run the action', async () => {
    const act = () => Promise.reject(new Error('action was run'));
    const errors = { name: 'name.invalid', size: 'size.invalid' };
    expect(await submit(page, shape, { name: ' ' }, act)).toEqual({ errors, status: 422 });
  });

  it('checks the valid fields of an invalid form, and returns all errors in the order of the fields', async () => {
    const details = [{ path: 'name', message: problems['user.name-taken'].title }];
    const error = new DomainError(problems['user.name-taken'], 'No.', details, { 'retry-after': '9' });
    const checked: object[] = [];
    const act = () => Promise.reject(new Error('action was run'));
    const submitWith = (form: Record<string, string>, thrown?: Error) =>
      submit(page, shape, form, act, (valid) => {
        checked.push(valid);
        return thrown ? Promise.reject(thrown) : Promise.resolve();
      });
    const rejection = await submitWith({ size: 'L', name: ' taro ' }, error);
    const errors = { size: 'size.invalid', name: 'user.name-taken' };
    expect(rejection).toEqual({ errors, status: 409, headers: { 'retry-after': '9' }, details });
    expect('errors' in rejection && Object.keys(rejection.errors)).toEqual(['size', 'name']);
    const invalid = { errors: { size: 'size.invalid' }, status: 422 };
    expect(await submitWith({ name: 'hanako', size: 'L' })).toEqual(invalid);
    // As from the previous version, which does not have the message
    const unknown = new DomainError(problems['service.unavailable'], 'No.');
    expect(await submitWith({ name: 'taro', size: 'L' }, unknown)).toEqual(invalid);
    await submitWith({ name: ' ', size: 'L' });
    expect(checked).toEqual([{ name: 'taro' }, { name: 'hanako' }, { name: 'taro' }]);
    await expect(submitWith({ name: 'taro', size: 'L' }, new Error('Defect.'))).rejects.toThrow('Defect.');
  });

  it('counts a valid form before its action, which does not run above the limit', async () => {
    const steps: string[] = [];
    const counted = { countSubmission: () => Promise.resolve(steps.push('counted')) };
    const act = () => Promise.resolve(steps.push('acted'));
    await submit(counted, shape, { name: ' ' }, act);
    await submit(counted, shape, sent, act);
    expect(steps).toEqual(['counted', 'acted']);
    const exceeded = new DomainError(problems['rate-limit.exceeded'], 'No.', undefined, { 'retry-after': '9' });
    const rejection = await submit({ countSubmission: () => Promise.reject(exceeded) }, shape, sent, act);
    expect(rejection).toMatchObject({
      errors: { form: 'rate-limit.exceeded' },
      status: 429,
      headers: { 'retry-after': '9' },
    });
    expect(steps).toHaveLength(2);
  });

  it('maps a domain error to its field or to the form', async () => {
    const headers = { 'Retry-After': '900' };
    const reject = (code: keyof typeof problems) =>
      submit(page, shape, sent, () => Promise.reject(new DomainError(problems[code], 'No.', undefined, headers)));
    expect(await reject('user.name-taken')).toEqual({ errors: { name: 'user.name-taken' }, status: 409, headers });
    expect(await reject('sign-in.too-many')).toEqual({ errors: { form: 'sign-in.too-many' }, status: 429, headers });
    await expect(reject('service.unavailable')).rejects.toThrow('No.');
  });

  it('maps a domain error of several fields to each of them', async () => {
    const titles = ['user.name-taken', 'user.email-taken', 'password.easy-to-guess'] as const;
    const details = titles.map((code) => ({ path: 'x', message: problems[code].title }));
    const error = new DomainError(problems['user.name-taken'], 'No.', details);
    expect(await submit(page, shape, sent, () => Promise.reject(error))).toMatchObject({
      errors: { name: 'user.name-taken', email: 'user.email-taken', newPassword: 'password.easy-to-guess' },
      status: 409,
    });
  });
});
