import { localPath } from './see-other.js';

describe('the way back', () => {
  it.each(['/', '/account', '/search?q=a%20b&q=c', '/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example'])(
    'is a path of this site: %s',
    (path) => expect(localPath(path)).toBe(path),
  );

  it('has no fragment, and nothing that would end a header', () => {
    expect(localPath('/a/../b#c')).toBe('/b');
    expect(localPath('/a\r\nset-cookie: x=1')).toBe('/aset-cookie:%20x=1');
    expect(localPath('/検索')).toBe('/%E6%A4%9C%E7%B4%A2');
  });

  it.each([
    ...['//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/\n//evil.example'],
    ...['/.//evil.example', '/..//evil.example', '/a/..//evil.example', '/%2e//evil.example', '/./\\evil.example'],
    ...['https://evil.example', 'evil.example', 'javascript:alert(1)', ' /x', '', '@evil.example', '//[', '////x'],
  ])('is none that leads elsewhere: %j', (path) => expect(localPath(path, '/account')).toBe('/account'));

  it('is one short text', () => {
    for (const to of [undefined, null, ['/a', '/b'], { a: '/b' }, `/${'x'.repeat(4_096)}`])
      expect(localPath(to)).toBe('/');
  });
});
