import { languages } from '#contracts';
import { linkMail, resetMail, linkPurposes, type LinkPurpose } from './mail.rules.js';

const baseUrl = 'https://shop.example.com';
const [token, userName] = ['a-token', 'hanako'];
const purposes = Object.keys(linkPurposes) as LinkPurpose[];

it('the mail that resets a password names the user, the link and its lifetime', () => {
  expect(linkMail(baseUrl, { purpose: 'password-reset', token, userName, language: 'en' })).toEqual({
    subject: 'Reset your password',
    text: `Hello hanako,

Open this link to set a new password. It can be used once, within one hour:

https://shop.example.com/account/recovery/password?token=a-token

If you did not request this, ignore this message. Your password has not been changed.

Storefront
https://shop.example.com/
`,
  });
});

it.each(purposes)('each language has its own mail with the link on a line of its own: %s', (purpose) => {
  const mails = languages.map((language) => linkMail(baseUrl, { purpose, token, userName, language }));
  const link = `${baseUrl}${linkPurposes[purpose].path}?token=a-token`;
  for (const { text } of mails) expect(text.split('\n')).toContain(link);
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(languages.length);
});

it('the mail about a reset names the user and the page that resets the password again', () => {
  const mails = languages.map((language) => resetMail(baseUrl, userName, language));
  for (const { text } of mails) expect(text).toMatch(/hanako[^]*\nhttps:\/\/shop.example.com\/account\/recovery\n/);
  expect(mails[0]!.subject).toBe('Your password was changed');
  expect(new Set(mails.map(({ subject }) => subject)).size).toBe(languages.length);
});

it('the texts state the lifetimes of the links', () => {
  const text = (purpose: LinkPurpose, language: 'en' | 'ja') =>
    linkMail(baseUrl, { purpose, token, userName, language }).text;
  expect(linkPurposes['password-reset'].lifetimeHours).toBe(1);
  expect([text('password-reset', 'en'), text('password-reset', 'ja')]).toEqual([
    expect.stringContaining('within one hour'),
    expect.stringContaining('1時間以内'),
  ]);
  expect(linkPurposes['email-confirmation'].lifetimeHours).toBe(24);
  expect([text('email-confirmation', 'en'), text('email-confirmation', 'ja')]).toEqual([
    expect.stringContaining('within 24 hours'),
    expect.stringContaining('24時間以内'),
  ]);
});
