import { readdir, readFile, writeFile } from 'node:fs/promises';
import { iconPng, itemsFolder } from './icons.js';

const items = await readdir(itemsFolder);
for (const item of items) {
  const icon = `${itemsFolder}/${item}/icon`;
  await writeFile(`${icon}.png`, await iconPng(await readFile(`${icon}.svg`)));
}
process.stdout.write(`${items.length} icons drawn\n`);
