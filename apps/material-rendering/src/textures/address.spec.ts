import { isPublicAddress, textureUrl } from './address.js';

const nobody = new Set<string>();

/** Every way that was found to write an address of this machine or of a network behind it. */
const inside = [
  'http://127.0.0.1/',
  'http://127.1/',
  'http://127.0.1/',
  'http://2130706433/',
  'http://0x7f000001/',
  'http://0x7f.0.0.1/',
  'http://0x7F.1/',
  'http://017700000001/',
  'http://0177.0.0.01/',
  'http://127.0.0.1./',
  'http://127.255.255.254/',
  'http://1.2.3.4:80@127.0.0.1/',
  'http://１２７.０.０.１/',
  'http://①②⑦.⓪.⓪.①/',
  'http://127。0。0。1/',
  'http://%31%32%37.0.0.1/',
  'http:\\\\127.0.0.1\\',
  'http:127.0.0.1',
  '\thttp://127.0.0.1/',
  'http://127.0.\n0.1/',
  'http://0/',
  'http://0.0.0.0/',
  'http://00000000/',
  'http://10.0.0.1/',
  'http://10.1/',
  'http://167772161/',
  'http://172.16.0.1/',
  'http://172.31.255.255/',
  'http://192.168.0.1/',
  'http://0xc0a80001/',
  'http://192.168.257/',
  'http://100.64.0.1/',
  'http://169.254.169.254/',
  'http://2852039166/',
  'http://0xA9FEA9FE/',
  'http://0251.0376.0251.0376/',
  'http://168.63.129.16/',
  'http://192.0.0.8/',
  'http://192.0.2.1/',
  'http://198.18.0.1/',
  'http://203.0.113.7/',
  'http://224.0.0.1/',
  'http://240.0.0.1/',
  'http://255.255.255.255/',
  'http://[::1]/',
  'http://[::]/',
  'http://[0:0:0:0:0:0:0:1]/',
  'http://[::ffff:127.0.0.1]/',
  'http://[::ffff:7f00:1]/',
  'http://[0:0:0:0:0:ffff:10.0.0.1]/',
  'http://[::127.0.0.1]/',
  'http://[::ffff:0:127.0.0.1]/',
  'http://[64:ff9b::127.0.0.1]/',
  'http://[64:ff9b:1::10.0.0.1]/',
  'http://[2002:7f00:1::]/',
  'http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/',
  'http://[fe80::1]/',
  'http://[fec0::1]/',
  'http://[fc00::1]/',
  'http://[fd00:ec2::254]/',
  'http://[ff02::1]/',
  'http://[100::1]/',
  'http://[2001:db8::1]/',
  'http://[4000::1]/',
  'http://localhost/',
  'http://LOCALHOST/',
  'http://localhost./',
  'http://metadata.localhost/',
];

const refusedForm = [
  ['another protocol', 'ftp://example.com/cat.png'],
  ['a file', 'file:///etc/passwd'],
  ['data', 'data:image/png;base64,AAAA'],
  ['a script', 'javascript:alert(1)'],
  ['gopher', 'gopher://example.com:80/_GET'],
  ['a user name', 'http://user@example.com/'],
  ['a password', 'https://:secret@example.com/'],
  ['the port of SSH', 'http://example.com:22/'],
  ['a high port', 'https://example.com:8443/'],
  ['no URL', 'cat.png'],
  ['nothing', ''],
  ['a port that is none', 'http://example.com:99999/'],
];

const refused = expect.objectContaining({ kind: expect.objectContaining({ code: 'texture.address-refused' }) });

const attempt = (text: string, allowed = nobody): unknown => {
  try {
    return textureUrl(text, allowed).href;
  } catch (error) {
    return error;
  }
};

describe('the address of a texture', () => {
  it('is listed in at least forty spellings of an inside address', () => {
    expect(new Set(inside).size).toBeGreaterThanOrEqual(40);
  });

  it.each(inside)('is refused as %j', (text) => {
    expect(attempt(text)).toEqual(refused);
  });

  it.each(refusedForm)('is refused with %s', (_what, text) => {
    expect(attempt(text)).toEqual(refused);
  });

  it.each([
    'http://example.com/cat.png',
    'https://example.com/cat.png?x=1#y',
    'http://example.com:443/',
    'https://example.com:80/',
    'http://8.8.8.8/',
    'http://172.32.0.1/',
    'https://[2606:4700::1111]/',
    'http://localhost.example.com/',
  ])('is accepted as %s', (text) => {
    expect(attempt(text)).toEqual(expect.any(String));
  });

  it('may be inside when an operator allows the host, on any port or on one', () => {
    expect(attempt('http://127.0.0.1:8080/cat.png', new Set(['127.0.0.1']))).toBe('http://127.0.0.1:8080/cat.png');
    expect(attempt('http://LocalHost:8080/', new Set(['localhost:8080']))).toBe('http://localhost:8080/');
    expect(attempt('http://[::1]:81/', new Set(['[::1]']))).toBe('http://[::1]:81/');
    expect(attempt('http://localhost:8081/', new Set(['localhost:8080']))).toEqual(refused);
    expect(attempt('http://127.0.0.2/', new Set(['127.0.0.1']))).toEqual(refused);
  });

  it('keeps the host and the credentials of a refused address to itself', () => {
    expect(String(attempt('http://user:hunter2@10.9.8.7/'))).not.toMatch(/hunter2|10\.9\.8\.7/);
  });
});

describe('an address that a socket is connected to', () => {
  it.each(['127.0.0.1', '::1', '::ffff:10.0.0.1', 'fe80::1%eth0', '169.254.169.254', '', 'example.com', '2130706433'])(
    'is not public as %j',
    (address) => {
      expect(isPublicAddress(address)).toBe(false);
    },
  );

  it.each(['8.8.8.8', '::ffff:8.8.8.8', '2606:4700::1111'])('is public as %s', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
});
