import { readFile, writeFile } from 'node:fs/promises';
import { projectPath } from '#config';

const page = projectPath('docs/clients.md');

/** A link to a program, and the block behind it. */
const shown = /^(\[`[^`\n]+`\]\(clients\/([\w./-]+\.(?:sh|mjs|py|rb))\).*\n(?:.+\n)*\n```\w+\n)[\s\S]*?^```$/gm;

it('docs/clients.md shows the programs that are tested', async () => {
  const text = await readFile(page, 'utf8');
  const files = [...text.matchAll(shown)].map(([, , file]) => file!);
  const libraries = ['auth-js', 'passport-oauth2', 'passport-suzuri', 'openid-client', 'simple-oauth2'];
  expect(files).toEqual([
    ...['first-product.sh', 'first-product.mjs', 'first-product.py', 'first-product.rb'],
    ...[...libraries.map((name) => `oauth/${name}.mjs`), 'retry.mjs'],
  ]);
  const programs = new Map<string, string>();
  for (const file of files) programs.set(file, await readFile(projectPath('docs/clients', file), 'utf8'));
  const fresh = text.replace(shown, (_, head: string, file: string) => `${head}${programs.get(file)!}\`\`\``);
  if (process.env.WRITE_DOCS) await writeFile(page, fresh);
  expect(await readFile(page, 'utf8')).toBe(fresh);
});
