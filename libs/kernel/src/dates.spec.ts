import { dateTimeWriter } from './dates.js';

const at = new Date('2026-11-20T15:04:05.067Z');

describe('dateTimeWriter', () => {
  it('writes the format of the specification in UTC', () => {
    expect(dateTimeWriter('spec', 'UTC')(at)).toBe('2026-11-20 15:04:05 +0000');
  });

  it('writes the offset of another time zone, over midnight', () => {
    expect(dateTimeWriter('spec', 'Asia/Tokyo')(at)).toBe('2026-11-21 00:04:05 +0900');
    expect(dateTimeWriter('spec', 'America/St_Johns')(at)).toBe('2026-11-20 11:34:05 -0330');
  });

  it('writes RFC 3339 with milliseconds', () => {
    expect(dateTimeWriter('rfc3339', 'UTC')(at)).toBe('2026-11-20T15:04:05.067+00:00');
    expect(dateTimeWriter('rfc3339', 'Asia/Tokyo')(at)).toBe('2026-11-21T00:04:05.067+09:00');
    expect(dateTimeWriter('rfc3339', 'Europe/London')(at)).toBe('2026-11-20T15:04:05.067+00:00');
  });

  it('throws RangeError for an unknown time zone', () => {
    expect(() => dateTimeWriter('spec', 'Mars/Olympus')).toThrow(RangeError);
  });
});
