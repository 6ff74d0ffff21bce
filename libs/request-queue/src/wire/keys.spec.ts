import { QueueKeys } from './keys.js';

describe('QueueKeys', () => {
  const keys = new QueueKeys('p:');

  it('recognize only keys of reply lists', () => {
    expect(keys.isReplyList(keys.replies('material-rendering', '0123456789abcdef'))).toBe(true);
    expect(keys.isReplyList(new QueueKeys().replies('gateway', '0123456789abcdef'))).toBe(false);
    expect(keys.isReplyList(keys.requests('catalog'))).toBe(false);
    expect(keys.isReplyList('p:rq:{gateway-0123456789abcdef}:rx')).toBe(false);
  });

  it('contain a channel for each logical database', () => {
    expect(keys.broadcasts(1)).not.toBe(keys.broadcasts(2));
  });
});
