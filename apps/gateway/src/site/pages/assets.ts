import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';

const folder = projectPath('apps', 'gateway', 'assets');

/**
 * Style sheet of all pages: the CSS files of the folder, concatenated in the order of their names.
 */
export const stylesheet: Buffer = Buffer.concat(
  readdirSync(folder)
    .filter((name) => name.endsWith('.css'))
    .sort()
    .map((name) => readFileSync(`${folder}/${name}`)),
);

/** File name with a content hash, so that browsers can cache the style sheet permanently. */
export const stylesheetName = `site.${createHash('sha256').update(stylesheet).digest('hex').slice(0, 16)}.css`;
