import { QueueKeys } from './keys.js';

describe('keys', () => {
  const keys = new QueueKeys('p:');

  it('take only reply lists that a client has made', () => {
    expect(keys.isReplyList(keys.replies('material-rendering', '0123456789abcdef'))).toBe(true);
    expect(keys.isReplyList(new QueueKeys().replies('gateway', '0123456789abcdef'))).toBe(false);
    expect(keys.isReplyList(keys.requests('catalog'))).toBe(false);
    expect(keys.isReplyList('p:rq:{gateway-0123456789abcdef}:rx')).toBe(false);
  });

  it('have a channel for each logical database', () => {
    expect(keys.broadcasts(1)).not.toBe(keys.broadcasts(2));
  });
});
