import { childEnvironment, permissionOptions } from './child-process.js';

describe('permissionOptions', () => {
  const of = (...known: string[]) => permissionOptions(new Set(known));

  it('permits the connection to the app where Node.js restricts sockets', () => {
    expect(of('--permission', '--allow-net')).toContain('--allow-net');
    expect(of('--permission')).not.toContain('--allow-net');
  });

  it('restricts children in every version of Node.js', () => {
    expect(of('--permission')).toContain('--permission');
    expect(of()).toContain('--experimental-permission');
  });
});

describe('childEnvironment', () => {
  const parent = { DATABASE_URL: 'postgres://secret', FONTCONFIG_FILE: '/fonts.conf' };

  it('inherits the fonts, and nothing else', () => {
    expect(childEnvironment(undefined, parent)).toEqual({ MALLOC_ARENA_MAX: '2', FONTCONFIG_FILE: '/fonts.conf' });
    expect(childEnvironment({}, {})).toEqual({ MALLOC_ARENA_MAX: '2' });
  });

  it('prefers the environment of the program', () => {
    expect(childEnvironment({ FONTCONFIG_FILE: '/own.conf' }, parent)).toMatchObject({ FONTCONFIG_FILE: '/own.conf' });
  });
});
