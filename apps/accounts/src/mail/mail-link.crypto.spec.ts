import { MailLinkKey } from './mail-link.crypto.js';

const key = new MailLinkKey('a secret of at least thirty-two characters');
const id = '0198b1d2-0000-4000-8000-000000000001';

describe('the token of an event', () => {
  it('has 256 bits as URL-safe base64', () => {
    expect(key.tokenOf(id)).toMatch(/^[\w-]{43}$/);
  });

  it('is equal at each delivery, also in another process', () => {
    expect(new MailLinkKey('a secret of at least thirty-two characters').tokenOf(id)).toBe(key.tokenOf(id));
  });

  it('depends on the event and on the secret', () => {
    const others = [
      key.tokenOf('0198b1d2-0000-4000-8000-000000000002'),
      new MailLinkKey('another secret of thirty-two characters').tokenOf(id),
    ];
    expect(new Set([key.tokenOf(id), ...others]).size).toBe(3);
  });
});
