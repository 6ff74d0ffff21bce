import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';

const folder = projectPath('apps', 'gateway', 'assets');

/** What all pages look like: every style sheet of the folder, in the order of their names, as one file. */
export const stylesheet: Buffer = Buffer.concat(
  readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => readFileSync(`${folder}/${name}`)),
);

/** Its name changes with its content, so that browsers may keep it for ever. */
export const stylesheetName = `site.${createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)}.css`;
