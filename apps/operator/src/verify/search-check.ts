import { searchColumns } from '#kernel';
import { type Check, type Finding, findingsAtMost } from './check.js';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly text: string | null;
  readonly tokens: readonly string[] | null;
}

const rowsPerTrip = 1_000;

/** What search reads of a product is made of its material's title. */
export const searchCheck: Check = {
  name: 'search: found by the title',
  look: async ({ database }) => {
    const findings: Finding[] = [];
    let checked = 0;
    for (let last = 0, rows: Row[] = []; ;) {
      ({ rows } = await database.query<Row>(
        `select p.id, m.title, p.search_text as text, p.search_tokens as tokens
         from catalog.products p join catalog.materials m on m.id = p.material_id
         where p.id > $1 order by p.id limit ${rowsPerTrip}`,
        [last],
      ));
      checked += rows.length;
      findings.push(...rows.filter((row) => !isFound(row)).map(({ id }) => ({ what: `product ${id}` })));
      if (rows.length < rowsPerTrip || findings.length >= findingsAtMost) return { checked, findings };
      last = rows.at(-1)!.id;
    }
  },
};

function isFound({ title, text, tokens }: Row): boolean {
  const { searchText, searchTokens } = searchColumns(title);
  return text === searchText && JSON.stringify([...(tokens ?? [])].sort()) === JSON.stringify(searchTokens.sort());
}
