import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';

const packageFile = '@bull-board/ui/package.json';

/** Returns the folder in which the pages of Bull Board are installed. */
export const boardFolder = (): string => dirname(createRequire(import.meta.url).resolve(packageFile));

/**
 * Returns all files of the pages, which a container image needs because no bundle contains them.
 */
export const boardFiles = (): string[] =>
  readdirSync(join(boardFolder(), 'dist'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ parentPath, name }) => join(parentPath, name));
