import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { format, getFileInfo, resolveConfig } from 'prettier';
import { parseAllDocuments } from 'yaml';

/** Thrown if the source tree differs from the generator's expectations. */
export class UnexpectedTree extends Error {}

/**
 * Pending file changes. They are written by `save` only, so that a failed step changes nothing on
 * disk.
 */
export class Changes {
  /** @type {Map<string, string>} */
  #texts = new Map();
  #added = new Set();

  constructor(root) {
    this.root = root;
  }

  /** @throws UnexpectedTree when the file is missing */
  read(path) {
    if (this.#texts.has(path)) return this.#texts.get(path);
    const file = join(this.root, path);
    if (!existsSync(file)) throw new UnexpectedTree(`${path} is missing`);
    return readFileSync(file, 'utf8');
  }

  /** @throws UnexpectedTree when the file exists */
  add(path, text) {
    if (existsSync(join(this.root, path))) throw new UnexpectedTree(`${path} exists already`);
    this.#texts.set(path, text);
    this.#added.add(path);
  }

  /**
   * Replaces the one match of a pattern.
   *
   * @param {string} path
   * @param {RegExp} pattern with the flag g
   * @param {(...groups: string[]) => string} replacement of the match and its groups
   * @throws UnexpectedTree when there is no match, or more than one
   */
  replace(path, pattern, replacement) {
    const text = this.read(path);
    const count = [...text.matchAll(pattern)].length;
    if (count !== 1) throw new UnexpectedTree(`${path} has ${count} matches of ${pattern} instead of one`);
    this.#texts.set(path, text.replaceAll(pattern, replacement));
  }

  /**
   * Inserts a line after the last line that matches. @throws UnexpectedTree when no line matches
   */
  insertAfterLast(path, pattern, line) {
    const lines = this.read(path).split('\n');
    const last = lines.findLastIndex((it) => pattern.test(it));
    if (last < 0) throw new UnexpectedTree(`${path} has no line like ${pattern}`);
    this.#texts.set(path, lines.toSpliced(last + 1, 0, line).join('\n'));
  }

  /** @param {(content: any) => unknown} change returns the new content */
  editJson(path, change) {
    this.#texts.set(path, JSON.stringify(change(JSON.parse(this.read(path))), null, 2));
  }

  /**
   * @param {(documents: import('yaml').Document[]) => void} change edits the documents; comments,
   *   anchors and styles are retained
   */
  editYaml(path, change) {
    const documents = parseAllDocuments(this.read(path));
    change(documents);
    this.#texts.set(path, documents.map((it) => it.toString({ lineWidth: 0, singleQuote: true })).join(''));
  }

  /** Formats all files, then writes them. @returns paths of added and of changed files */
  async save() {
    const texts = await Promise.all(
      [...this.#texts].map(async ([path, text]) => [path, await this.#format(path, text)]),
    );
    for (const [path, text] of texts) {
      mkdirSync(dirname(join(this.root, path)), { recursive: true });
      writeFileSync(join(this.root, path), text);
    }
    const paths = texts.map(([path]) => path).sort();
    return { added: paths.filter((it) => this.#added.has(it)), edited: paths.filter((it) => !this.#added.has(it)) };
  }

  async #format(path, text) {
    const file = join(this.root, path);
    const { inferredParser } = await getFileInfo(file);
    return inferredParser === null ? text : format(text, { ...(await resolveConfig(file)), filepath: file });
  }
}
