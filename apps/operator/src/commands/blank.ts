import { blanksFolder, checkBundle, openBundle, readCatalogFiles } from '#blanks';
import { directCommand, type Commands, Report } from '../command-line/command.js';
import { printable } from '../command-line/table.js';

const bundle = {
  help: 'folder, .zip or .tar.gz file: docs/own-items.md',
  value: 'PATH',
  required: true,
  positional: true,
} as const;

/** Items of an operator: docs/own-items.md. */
export const blank: Commands = {
  check: directCommand({
    summary: 'Checks a bundle, and reports all mistakes with file and path.',
    flags: { path: bundle },
    run: async ({ path }) => {
      const { item, errors } = await checkBundle(await openBundle(path), readCatalogFiles(blanksFolder));
      const isGood = errors.length === 0;
      const text = isGood
        ? `${item!.name}: ${item!.angles.length} angles, ${item!.variants.length} variants. No mistake.`
        : errors.map(({ path: at, message }) => printable(`${at}: ${message}`)).join('\n');
      return new Report(text, { item: item?.name ?? null, errors }, isGood);
    },
  }),
};
