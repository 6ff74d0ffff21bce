import { originForm } from './origin-form.js';

describe('the target of a request', () => {
  it.each([
    ['/api/v1/items?x=http://a/b', '/api/v1/items?x=http://a/b'],
    ['//evil.example/x', '//evil.example/x'],
    ['http://evil.example/api/v1/items?limit=1', '/api/v1/items?limit=1'],
    ['HTTPS://user:pass@evil.example:99/x', '/x'],
    ['http://evil.example', '/'],
    ['http://evil.example?x=/y', '/?x=/y'],
    ['http://evil.example//b.example/', '//b.example/'],
    ['http:///x', '/x'],
    ['*', '/*'],
    ['evil.example:443', '/*'],
    ['', '/*'],
  ])('%s is read as %s', (target, path) => {
    expect(originForm(target)).toBe(path);
  });
});
