import { commandAside, type Commands, Report } from '../command-line/command.js';
import { stores } from '../connections/stores.js';
import { table, verify as verifyStack, wrongIn } from '../verify/verify.js';

export const verify: Commands = {
  '': commandAside({
    summary:
      'Compares counters, rows, blobs and jobs of a running stack. Changes nothing; exit code 1 when anything is wrong.',
    flags: { hash: { help: 'reads all textures and compares their hashes, too' } },
    run: async ({ hash }) => {
      const lines = await verifyStack(stores(), { hash });
      const wrong = wrongIn(lines);
      return new Report(table(lines), { wrong, checks: lines }, wrong === 0);
    },
  }),
};
