import { readCredentials } from './client-credentials.rules.js';

const header = (joined: string) => `Basic ${Buffer.from(joined).toString('base64')}`;

describe('a client that identifies itself by Basic', () => {
  it.each([
    ['id:secret', { clientId: 'id', secret: 'secret' }],
    ['a%3Ab:c%25d+e%2Bf', { clientId: 'a:b', secret: 'c%d e+f' }],
    ['id:a:b', { clientId: 'id', secret: 'a:b' }],
    ['id:', { clientId: 'id', secret: null }],
  ])('has both parts form-encoded: %s', (joined, credentials) => {
    expect(readCredentials(header(joined), {})).toEqual(credentials);
  });

  it('may write the scheme as it likes, and its own id in the form too', () => {
    const written = header('id:secret').replace('Basic ', 'bASIC  ');
    expect(readCredentials(written, { client_id: 'id' })).toEqual({ clientId: 'id', secret: 'secret' });
  });

  it.each(['', 'Basic', 'Bearer x', header('id'), header(':secret'), header('%zz:secret'), `${header('id:s')}, x`])(
    'is not understood: %j',
    (authorization) => {
      expect(() => readCredentials(authorization, {})).toThrow(expect.objectContaining({ name: 'invalid_client' }));
    },
  );

  it.each([{ client_secret: 'secret' }, { client_id: 'id', client_secret: 'secret' }, { client_id: 'other' }])(
    'may not do so in the form as well: %j',
    (form) => {
      expect(() => readCredentials(header('id:secret'), form)).toThrow(
        expect.objectContaining({ name: 'invalid_request' }),
      );
    },
  );
});

it('a client in the form brings a secret or none', () => {
  expect(readCredentials(null, { client_id: 'id', client_secret: 's' })).toEqual({ clientId: 'id', secret: 's' });
  expect(readCredentials(null, { client_id: 'id' })).toEqual({ clientId: 'id', secret: null });
  expect(() => readCredentials(null, {})).toThrow(expect.objectContaining({ name: 'invalid_client' }));
});
