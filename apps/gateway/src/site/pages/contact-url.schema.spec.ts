import { contactUrl } from './contact-url.schema.js';

describe('CONTACT_URL', () => {
  it.each([
    ['mailto:shop@example.com', 'mailto:shop@example.com', 'shop@example.com'],
    ['https://example.com', 'https://example.com/', 'example.com'],
    [
      'HTTPS://Example.com:8443/help/?from=shop#form',
      'https://example.com:8443/help/?from=shop#form',
      'example.com:8443/help',
    ],
  ])('%s is a link', (setting, url, text) => {
    expect(contactUrl.parse(setting)).toEqual({ url, text });
  });

  it.each([
    '',
    'shop@example.com',
    'mailto:',
    'mailto:shop',
    'mailto:shop@example.com?subject=Help',
    'mailto:shop@example.com,other@example.com',
    'http://example.com/',
    'https://',
    'https://user:password@example.com/',
    'https://user@example.com/',
    'javascript:alert(1)',
    'javascript:alert(1)//mailto:shop@example.com',
    ' javascript:alert(1)',
    'data:text/html,x',
    '//example.com/',
    '/help',
  ])('cannot be %j', (setting) => {
    expect(contactUrl.safeParse(setting).error?.issues).toMatchObject([
      { message: 'must be mailto: with one email address, or an https:// URL without user name and password' },
    ]);
  });
});
