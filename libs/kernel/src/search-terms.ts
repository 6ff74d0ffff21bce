/** What search compares: a word is found where it stands in a text, whatever its width and case. */

/** The columns of a product that search reads. The names of its item are compared in memory: `CatalogSnapshot`. */
export interface SearchColumns {
  readonly searchText: string;
  readonly searchTokens: string[];
}

export interface SearchTerm {
  /** A word as it must stand in a text. */
  readonly word: string;
  /** What the tokens of a text with that word include. */
  readonly tokens: readonly string[];
}

/**
 * The form in which texts are compared: NFKC makes full-width letters and half-width katakana their usual forms, case is
 * gone, by way of capitals because a sharp s is two of them, and a final sigma is a sigma, as its capital says nothing about where it stands. Hiragana and katakana stay
 * different: they are different spellings and not widths.
 */
export const normalised = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');

/** The columns of a product whose material has this title. They change when the title does. */
export function searchColumns(materialTitle: string): SearchColumns {
  const searchText = normalised(materialTitle);
  const tokens = wordsOf(searchText).flatMap((word) => [...lettersOf(word), ...bigrams(word)]);
  return { searchText, searchTokens: [...new Set(tokens)] };
}

/** The words of a query, each once; all must be found. A word of one letter has itself as its token. */
export function searchTerms(q: string): SearchTerm[] {
  const words = new Set(wordsOf(normalised(q)));
  return [...words].map((word) => {
    const pairs = bigrams(word);
    return { word, tokens: pairs.length > 0 ? [...new Set(pairs)] : [word] };
  });
}

// After normalising, which makes white space of characters that were none
const wordsOf = (text: string): string[] => text.split(/\p{White_Space}+/u).filter((word) => word !== '');

/** By code point, so that no letter is half of a pair. */
const lettersOf = (word: string): string[] => Array.from(word);

function bigrams(word: string): string[] {
  const letters = lettersOf(word);
  return letters.slice(1).map((letter, index) => letters[index]! + letter);
}
