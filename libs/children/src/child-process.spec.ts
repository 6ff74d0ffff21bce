import { permissionOptions } from './child-process.js';

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
