import { type Language, languages } from '#contracts';

/** The first language of `Accept-Language` that the service speaks, by weight (RFC 9110, 12.5.4); English otherwise. */
export function languageOf(header: string | undefined): Language {
  const wishes = (header ?? '')
    .slice(0, 1_000)
    .split(',')
    .map((part) => {
      const [tag, ...parameters] = part.trim().toLowerCase().split(';');
      const weight = parameters.map((it) => /^\s*q=([01](?:\.\d{0,3})?)$/.exec(it)?.[1]).find((it) => it !== undefined);
      return { tag: tag!.split('-')[0]!, weight: weight === undefined ? 1 : Number(weight) };
    })
    .filter(({ weight }) => weight > 0)
    .sort((a, b) => b.weight - a.weight);
  const found = wishes.find(({ tag }) => (languages as readonly string[]).includes(tag));
  return (found?.tag as Language | undefined) ?? 'en';
}
