export const dateTimeFormats = ['spec', 'rfc3339'] as const;
export type DateTimeFormat = (typeof dateTimeFormats)[number];

/**
 * Returns a function that formats a timestamp as `YYYY-MM-DD HH:MM:SS +ZZZZ` (`spec`) or as RFC
 * 3339 with milliseconds (`rfc3339`), both in the given IANA time zone.
 *
 * @throws RangeError when the time zone is unknown
 */
export function dateTimeWriter(format: DateTimeFormat, timeZone: string): (at: Date) => string {
  const parts = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  });
  const utc = timeZone === 'UTC';
  return (at) => {
    if (utc) {
      const iso = at.toISOString();
      return format === 'spec' ? `${iso.slice(0, 10)} ${iso.slice(11, 19)} +0000` : iso.replace('Z', '+00:00');
    }
    const part = Object.fromEntries(parts.formatToParts(at).map(({ type, value }) => [type, value]));
    const date = `${part.year}-${part.month}-${part.day}`;
    const time = `${part.hour}:${part.minute}:${part.second}`;
    // `longOffset` is "GMT+09:00", and plain "GMT" at offset zero
    const offset = part.timeZoneName?.slice(3) || '+00:00';
    if (format === 'spec') return `${date} ${time} ${offset.replace(':', '')}`;
    return `${date}T${time}.${String(at.getUTCMilliseconds()).padStart(3, '0')}${offset}`;
  };
}
