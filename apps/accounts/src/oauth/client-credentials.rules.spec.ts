import { readCredentials } from './client-credentials.rules.js';

const header = (joined: string) => `Basic ${Buffer.from(joined).toString('base64')}`;

describe('readCredentials with HTTP Basic', () => {
  it.each([
    ['id:secret', { clientId: 'id', secret: 'secret' }],
    ['a%3Ab:c%25d+e%2Bf', { clientId: 'a:b', secret: 'c%d e+f' }],
    ['id:a:b', { clientId: 'id', secret: 'a:b' }],
    ['id:', { clientId: 'id', secret: null }],
  ])('form-decodes client id and secret: %s', (joined, credentials) => {
    expect(readCredentials(header(joined), {})).toEqual(credentials);
  });

  it('ignores the case of the scheme, and accepts the same id in the form', () => {
    const written = header('id:secret').replace('Basic ', 'bASIC  ');
    expect(readCredentials(written, { client_id: 'id' })).toEqual({ clientId: 'id', secret: 'secret' });
  });

  it.each(['', 'Basic', 'Bearer x', header('id'), header(':secret'), header('%zz:secret'), `${header('id:s')}, x`])(
    'rejects the header %j',
    (authorization) => {
      expect(() => readCredentials(authorization, {})).toThrow(expect.objectContaining({ name: 'invalid_client' }));
    },
  );

  it.each([{ client_secret: 'secret' }, { client_id: 'id', client_secret: 'secret' }, { client_id: 'other' }])(
    'rejects credentials in the form too: %j',
    (form) => {
      expect(() => readCredentials(header('id:secret'), form)).toThrow(
        expect.objectContaining({ name: 'invalid_request' }),
      );
    },
  );
});

it('reads a client from the form, with or without a secret', () => {
  expect(readCredentials(null, { client_id: 'id', client_secret: 's' })).toEqual({ clientId: 'id', secret: 's' });
  expect(readCredentials(null, { client_id: 'id' })).toEqual({ clientId: 'id', secret: null });
  expect(() => readCredentials(null, {})).toThrow(expect.objectContaining({ name: 'invalid_client' }));
});
