import { Documents } from '../../../../e2e/documents/documents.js';
import { hyperText, openApiText } from './testing/published.js';

const documents = new Documents(JSON.parse(openApiText()), JSON.parse(hyperText()));
const check = (method: string, path: string, status: number, body: unknown) => () =>
  documents.expectDescribed(method, path, { status, body });

const user = {
  id: 1,
  name: 'hanako',
  displayName: null,
  avatarUrl: null,
  profile: { url: null, body: null, headerUrl: null },
  identities: [],
  official: false,
};
const problem = {
  type: 'http://localhost:3000/problems/user.not-found',
  title: 'There is no such user',
  status: 404,
  detail: 'There is no user 7.',
  code: 'user.not-found',
  message: 'There is no user 7.',
  requestId: 'a',
};

describe('an answer', () => {
  it('is described when both documents say what it is', () => {
    expect(check('GET', '/api/v1/users/7?x=1', 200, { user })).not.toThrow();
    expect(check('GET', 'http://localhost:3000/api/v1/users/7/', 404, problem)).not.toThrow();
    expect(check('DELETE', '/api/v1/materials/7', 204, '')).not.toThrow();
    expect(check('GET', '/api/v1/items', 304, '')).not.toThrow();
    expect(check('GET', '/api/v1/nothing', 404, problem)).not.toThrow();
  });

  it('is found by its most exact address', () => {
    expect(check('GET', '/api/v1/activities/unreads', 200, { unreads: 3 })).not.toThrow();
    expect(check('GET', '/api/v1/products/search', 200, { products: [], meta: { hasNext: false } })).not.toThrow();
  });

  it('is described when it is one of the documents', () => {
    expect(check('GET', '/api/v1/schema', 200, JSON.parse(hyperText()))).not.toThrow();
    expect(check('GET', '/api/v1/openapi.json', 200, JSON.parse(openApiText()))).not.toThrow();
    expect(check('GET', '/api/v1/schema', 200, { ...JSON.parse(hyperText()), other: 1 })).toThrow(/"other"/);
  });

  it('is not described with a field that is missing, wrong or unknown', () => {
    const { name, ...nameless } = user;
    expect(name).toBe('hanako');
    expect(check('GET', '/api/v1/users/7', 200, { user: nameless })).toThrow(/OpenAPI.*'name'/);
    expect(check('GET', '/api/v1/users/7', 200, { user: { ...user, official: 'no' } })).toThrow(/must be boolean/);
    expect(check('GET', '/api/v1/users/7', 200, { user: { ...user, email: 'a@b.c' } })).toThrow(/"email"/);
    expect(check('GET', '/api/v1/users/7', 404, { message: 'no' })).toThrow(/'code'/);
    expect(check('DELETE', '/api/v1/materials/7', 204, {})).toThrow(/there is a body/);
  });

  it('is not described with a status or an operation that no document knows', () => {
    expect(check('GET', '/api/v1/users/7', 409, problem)).toThrow(/not listed/);
    expect(check('GET', '/api/v1/nothing', 200, {})).toThrow(/does not know/);
  });

  it('has to satisfy each of the documents', () => {
    const hyper = JSON.parse(hyperText());
    hyper.definitions.user.definitions.official.type = ['string'];
    const disagreeing = new Documents(JSON.parse(openApiText()), hyper);
    expect(() => disagreeing.expectDescribed('GET', '/api/v1/users/7', { status: 200, body: { user } })).toThrow(
      /the hyper-schema.*must be string/,
    );
  });
});
