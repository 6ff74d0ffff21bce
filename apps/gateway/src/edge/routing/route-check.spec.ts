import { hidesUser } from './route-check.js';

describe('a path of the site', () => {
  it.each([
    '/',
    '/api/v1/products',
    'sign-in',
    '/Docs/:name',
    '/:user/:material',
    '/*',
    '/.well-known/x',
    '/robots.txt',
  ])('%s hides no user page', (path) => {
    expect(hidesUser(path)).toBe(false);
  });

  it.each(['/hanako', '/gallery/:name', 'my-page'])('%s would hide a user page', (path) => {
    expect(hidesUser(path)).toBe(true);
  });
});
