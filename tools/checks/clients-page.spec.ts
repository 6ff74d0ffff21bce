import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';

/** A link to a program. The group is its path relative to docs/clients. */
const link = /\]\(clients\/([\w./-]+\.(?:sh|mjs|py|rb))\)/g;

it('docs/clients.md links each program of docs/clients', () => {
  const page = readFileSync(projectPath('docs/clients.md'), 'utf8');
  const linked = [...page.matchAll(link)].map(([, file]) => file!);
  const files = readdirSync(projectPath('docs/clients'), { recursive: true, encoding: 'utf8' });
  const programs = files.filter((file) => /\.(?:sh|mjs|py|rb)$/.test(file));
  expect(new Set(linked)).toEqual(new Set(programs));
});
