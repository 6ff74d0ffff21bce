/**
 * Returns the confirmation for a value of the query parameter `done`; undefined for unknown values.
 * Anyone can write that parameter into a link, so other values show no text.
 */
export const noticeOf = (sentences: Readonly<Record<string, string>>, done: unknown): string | undefined =>
  typeof done === 'string' && Object.hasOwn(sentences, done) ? sentences[done] : undefined;
