import { localPath } from './see-other.js';

describe('localPath', () => {
  it.each(['/', '/account', '/search?q=a%20b&q=c', '/oauth/authorize?redirect_uri=https%3A%2F%2Fapp.example'])(
    'accepts a path of this site: %s',
    (path) => expect(localPath(path)).toBe(path),
  );

  it('removes fragments and characters that would end a header', () => {
    expect(localPath('/a/../b#c')).toBe('/b');
    expect(localPath('/a\r\nset-cookie: x=1')).toBe('/aset-cookie:%20x=1');
    expect(localPath('/検索')).toBe('/%E6%A4%9C%E7%B4%A2');
  });

  it.each([
    ...['//evil.example', '/\\evil.example', '\\\\evil.example', '/\t/evil.example', '/\n//evil.example'],
    ...['/.//evil.example', '/..//evil.example', '/a/..//evil.example', '/%2e//evil.example', '/./\\evil.example'],
    ...['https://evil.example', 'evil.example', 'javascript:alert(1)', ' /x', '', '@evil.example', '//[', '////x'],
  ])('rejects a path to another site: %j', (path) => expect(localPath(path, '/account')).toBe('/account'));

  it('rejects everything but one short string', () => {
    for (const to of [undefined, null, ['/a', '/b'], { a: '/b' }, `/${'x'.repeat(4_096)}`])
      expect(localPath(to)).toBe('/');
  });
});
