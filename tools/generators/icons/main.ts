import { readdir, readFile, writeFile } from 'node:fs/promises';
import { blanksFolder, iconPng } from '#blanks';

const itemsFolder = `${blanksFolder}/items`;

const items = await readdir(itemsFolder);
for (const item of items) {
  const icon = `${itemsFolder}/${item}/icon`;
  await writeFile(`${icon}.png`, await iconPng(await readFile(`${icon}.svg`)));
}
process.stdout.write(`${items.length} icons drawn\n`);
