import { searchColumns } from '#kernel';
import { type Check, type Finding, maxFindings } from './check.js';

interface Row {
  readonly id: number;
  readonly title: string;
  readonly text: string | null;
  readonly tokens: readonly string[] | null;
}

const rowsPerQuery = 1_000;

/** Checks that the search columns of each product match the title of its material. */
export const searchCheck: Check = {
  name: 'The search columns of each product match its title',
  run: async ({ database }) => {
    const findings: Finding[] = [];
    let checked = 0;
    for (let last = 0, rows: Row[] = []; ;) {
      ({ rows } = await database.query<Row>(
        `select p.id, m.title, p.search_text as text, p.search_tokens as tokens
         from catalog.products p join catalog.materials m on m.id = p.material_id
         where p.id > $1 order by p.id limit ${rowsPerQuery}`,
        [last],
      ));
      checked += rows.length;
      findings.push(...rows.filter((row) => !isCurrent(row)).map(({ id }) => ({ what: `product ${id}` })));
      if (rows.length < rowsPerQuery || findings.length >= maxFindings) return { checked, findings };
      last = rows.at(-1)!.id;
    }
  },
};

function isCurrent({ title, text, tokens }: Row): boolean {
  const { searchText, searchTokens } = searchColumns(title);
  return text === searchText && JSON.stringify([...(tokens ?? [])].sort()) === JSON.stringify(searchTokens.sort());
}
