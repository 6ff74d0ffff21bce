import { ResponseValidator } from '../../../../e2e/documents/response-validator.js';
import { hyperText, openApiText } from './testing/published.js';

const documents = new ResponseValidator(JSON.parse(openApiText()), JSON.parse(hyperText()));
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
  title: 'User not found',
  status: 404,
  detail: 'User 7 does not exist.',
  code: 'user.not-found',
  message: 'User 7 does not exist.',
  requestId: 'a',
};

describe('a response', () => {
  it('matches if both documents describe it, or as 404 of an unknown path', () => {
    expect(check('GET', '/api/v1/users/7?x=1', 200, { user })).not.toThrow();
    expect(check('GET', 'http://localhost:3000/api/v1/users/7/', 404, problem)).not.toThrow();
    expect(check('DELETE', '/api/v1/materials/7', 204, '')).not.toThrow();
    expect(check('GET', '/api/v1/items', 304, '')).not.toThrow();
    expect(check('GET', '/api/v1/nothing', 404, problem)).not.toThrow();
  });

  it('is matched with the most specific path', () => {
    expect(check('GET', '/api/v1/activities/unreads', 200, { unreads: 3 })).not.toThrow();
    expect(check('GET', '/api/v1/products/search', 200, { products: [], meta: { hasNext: false } })).not.toThrow();
  });

  it('matches if it is one of the documents', () => {
    expect(check('GET', '/api/v1/schema', 200, JSON.parse(hyperText()))).not.toThrow();
    expect(check('GET', '/api/v1/openapi.json', 200, JSON.parse(openApiText()))).not.toThrow();
    expect(check('GET', '/api/v1/schema', 200, { ...JSON.parse(hyperText()), other: 1 })).toThrow(/"other"/);
  });

  it('does not match with a missing, invalid or undeclared field', () => {
    const { name, ...withoutName } = user;
    expect(name).toBe('hanako');
    expect(check('GET', '/api/v1/users/7', 200, { user: withoutName })).toThrow(/OpenAPI.*'name'/);
    expect(check('GET', '/api/v1/users/7', 200, { user: { ...user, official: 'no' } })).toThrow(/must be boolean/);
    expect(check('GET', '/api/v1/users/7', 200, { user: { ...user, email: 'a@b.c' } })).toThrow(/"email"/);
    expect(check('GET', '/api/v1/users/7', 404, { message: 'no' })).toThrow(/'code'/);
    expect(check('DELETE', '/api/v1/materials/7', 204, {})).toThrow(/unexpected body/);
  });

  it('does not match with an undeclared status or operation', () => {
    expect(check('GET', '/api/v1/users/7', 409, problem)).toThrow(/not listed/);
    expect(check('GET', '/api/v1/nothing', 200, {})).toThrow(/does not describe/);
  });

  it('must match both documents', () => {
    const hyper = JSON.parse(hyperText());
    hyper.definitions.user.definitions.official.type = ['string'];
    const conflicting = new ResponseValidator(JSON.parse(openApiText()), hyper);
    expect(() => conflicting.expectDescribed('GET', '/api/v1/users/7', { status: 200, body: { user } })).toThrow(
      /the hyper-schema.*must be string/,
    );
  });
});
