/** The metrics of a process, as served at `/metrics`. */
export class Scrape {
  private constructor(readonly text: string) {}

  /** @param internalUrl `http://127.0.0.1:9464` */
  static async of(internalUrl: string): Promise<Scrape> {
    const response = await fetch(`${internalUrl}/metrics`);
    if (!response.ok) throw new Error(`${internalUrl}/metrics returned ${response.status}`);
    return new Scrape(await response.text());
  }

  /** Type and help text of every metric, by its name. */
  get declared(): ReadonlyMap<string, { readonly type: string; readonly help: string }> {
    const found = this.text.matchAll(/^# HELP (?<name>\S+) (?<help>.*)\n# TYPE \S+ (?<type>\w+)$/gm);
    return new Map(
      [...found].map(({ groups }) => [groups!['name']!, { type: groups!['type']!, help: groups!['help']! }]),
    );
  }

  /**
   * Returns the sum of all values of a metric (`x_count` of a histogram) with these labels, or
   * undefined when there is none.
   */
  sum(name: string, labels: Readonly<Record<string, string>> = {}): number | undefined {
    const wanted = Object.entries(labels).map(([label, value]) => `${label}="${value}"`);
    const values = this.text
      .split('\n')
      .filter((line) => line.startsWith(`${name} `) || line.startsWith(`${name}{`))
      .filter((line) => wanted.every((label) => line.includes(`{${label}`) || line.includes(`,${label}`)))
      .map((line) => Number(line.slice(line.lastIndexOf(' ') + 1)));
    return values.length === 0 ? undefined : values.reduce((sum, value) => sum + value);
  }
}
