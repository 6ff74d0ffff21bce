import { directCommand, type Commands, Report } from '../command-line/command.js';
import { stores } from '../connections/stores.js';
import { table, verify as verifyStack, wrongIn } from '../verify/verify.js';

export const verify: Commands = {
  '': directCommand({
    summary:
      'Compares counters, rows, blobs and jobs of a running stack. Changes nothing; exit code 1 if a check fails.',
    flags: { hash: { help: 'also compares the hashes of all textures' } },
    run: async ({ hash }) => {
      const lines = await verifyStack(stores(), { hash });
      const wrong = wrongIn(lines);
      return new Report(table(lines), { wrong, checks: lines }, wrong === 0);
    },
  }),
};
