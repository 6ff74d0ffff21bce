import { readdir, readFile, writeFile } from 'node:fs/promises';
import { iconFolder, iconPng } from './icons.js';

const drawings = (await readdir(iconFolder)).filter((file) => file.endsWith('.svg'));
for (const file of drawings) {
  const path = `${iconFolder}/${file}`;
  await writeFile(path.replace(/svg$/, 'png'), await iconPng(await readFile(path)));
}
process.stdout.write(`${drawings.length} icons drawn\n`);
