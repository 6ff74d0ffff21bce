import { writeFile } from 'node:fs/promises';
import { itemSchema, itemSchemaPath } from '#blanks';

await writeFile(itemSchemaPath, `${JSON.stringify(itemSchema(), null, 2)}\n`);
