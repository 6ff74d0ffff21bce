import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { projectPath } from '#config';

/**
 * A file that pages load. Its name has a content hash, so that browsers can cache it permanently.
 */
interface Asset {
  readonly name: string;
  /** Path below the base address. */
  readonly path: string;
  readonly type: string;
  readonly bytes: Buffer;
}

const folder = projectPath('apps', 'gateway', 'assets');
const read = (name: string): Buffer => readFileSync(`${folder}/${name}`);

function asset(name: string, type: string, bytes: Buffer): Asset {
  const [stem, extension] = name.split('.');
  const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
  const hashed = `${stem}.${hash}.${extension}`;
  return { name: hashed, path: `/assets/${hashed}`, type: `${type}; charset=utf-8`, bytes };
}

/**
 * Style sheet of all pages: the CSS files of the folder, concatenated in the order of their names.
 */
export const stylesheet = asset(
  'site.css',
  'text/css',
  Buffer.concat(
    readdirSync(folder)
      .filter((name) => name.endsWith('.css'))
      .sort()
      .map(read),
  ),
);

/** Script of the upload form. */
export const uploadScript = asset('upload.js', 'text/javascript', read('upload.js'));

/** Script of the page of a material whose images are being rendered. */
export const renderingScript = asset('rendering.js', 'text/javascript', read('rendering.js'));

/** Script of the interactive documentation. */
export const docsScript = asset('docs.js', 'text/javascript', read('docs.js'));

/** Icon of the site in tabs and bookmarks. */
export const siteIcon = asset('icon.svg', 'image/svg+xml', read('icon.svg'));

export const assets: ReadonlyMap<string, Asset> = new Map(
  [stylesheet, uploadScript, renderingScript, docsScript, siteIcon].map((it) => [it.name, it]),
);
