/**
 * Columns of a product that search reads. The names of its item are compared in memory:
 * `CatalogSnapshot`.
 */
export interface SearchColumns {
  readonly searchText: string;
  readonly searchTokens: string[];
}

export interface SearchTerm {
  /** Normalized word that a matching text contains. */
  readonly word: string;
  /** Tokens that every text with that word has. */
  readonly tokens: readonly string[];
}

/**
 * Returns the normalized form in which texts are compared. NFKC turns full-width letters and
 * half-width katakana into their usual forms. Case is removed by upper case, then lower case, so
 * that `ß` equals `SS`. A final sigma (`ς`), which lower case has at the end of a word only,
 * becomes `σ`. Hiragana and katakana stay different: they are different spellings, not different
 * widths.
 */
export const normalizeText = (text: string): string =>
  text.normalize('NFKC').toUpperCase().toLowerCase().normalize('NFKC').replaceAll('ς', 'σ');

/**
 * Returns the search columns of a product, computed from the title of its material. They change
 * with the title.
 */
export function searchColumns(materialTitle: string): SearchColumns {
  const searchText = normalizeText(materialTitle);
  const tokens = wordsOf(searchText).flatMap((word) => [...lettersOf(word), ...bigrams(word)]);
  return { searchText, searchTokens: [...new Set(tokens)] };
}

/** Returns the distinct words of a query; all must match. A word of one letter is its own token. */
export function searchTerms(q: string): SearchTerm[] {
  const words = new Set(wordsOf(normalizeText(q)));
  return [...words].map((word) => {
    const pairs = bigrams(word);
    return { word, tokens: pairs.length > 0 ? [...new Set(pairs)] : [word] };
  });
}

// Its text is normalized: normalization turns some characters into white space
const wordsOf = (text: string): string[] => text.split(/\p{White_Space}+/u).filter((word) => word !== '');

/** Splits by code point, so that no surrogate pair is split. */
const lettersOf = (word: string): string[] => Array.from(word);

function bigrams(word: string): string[] {
  const letters = lettersOf(word);
  return letters.slice(1).map((letter, index) => letters[index]! + letter);
}
