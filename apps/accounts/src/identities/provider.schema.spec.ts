import { readProviders } from './provider.schema.js';

const example = {
  name: 'example',
  label: 'Example',
  issuer: 'https://id.example.com/realms/people',
  clientId: 'shop',
  clientSecret: 'secret',
};
const read = (...providers: object[]) => readProviders(JSON.stringify(providers));

describe('readProviders', () => {
  it('parses a list of providers', () => {
    expect(read(example, { ...example, name: 'other' })).toMatchObject({
      providers: [{ name: 'example' }, { name: 'other' }],
      problems: [],
    });
    expect(read()).toEqual({ providers: [], problems: [] });
  });

  it.each(['http://localhost:4000', 'http://127.0.0.1:4000', 'http://[::1]:4000'])(
    'accepts an HTTP issuer on this machine: %s',
    (issuer) => {
      expect(read({ ...example, issuer }).problems).toEqual([]);
    },
  );

  it.each([
    'http://id.example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'ftp://id.example.com',
    'https://id.example.com?tenant=1',
    'https://id.example.com#there',
    'id.example.com',
  ])('rejects the issuer %s', (issuer) => {
    expect(read({ ...example, issuer }).problems).toEqual([expect.stringContaining('0.issuer: ')]);
  });

  it('rejects duplicate names, names that are no path segment, and invalid JSON, without naming the secret', () => {
    expect(read(example, example).problems).toEqual(['example is configured twice']);
    const { problems } = read({ ...example, name: 'a/b', label: '' });
    expect(problems).toHaveLength(2);
    expect(readProviders('[{').problems).toEqual(['must be a JSON array of providers']);
    expect(JSON.stringify(problems)).not.toContain(example.clientSecret);
  });
});
