import { directCommand, type Commands, Report } from '../command-line/command.js';
import { printable, table } from '../command-line/table.js';
import { stores } from '../connections/stores.js';
import { type Line, verify as verifyStack, wrongIn } from '../verify/verify.js';

export const verify: Commands = {
  '': directCommand({
    summary:
      'Compares counters, rows, blobs and jobs of a running stack. Changes nothing; exit code 1 if a check fails.',
    flags: { hash: { help: 'also compares the hashes of all textures' } },
    run: async ({ hash }) => reportOf(await verifyStack(stores(), { hash })),
  }),
};

/** Reports each check with its result, then the findings, then a summary. */
export function reportOf(lines: readonly Line[]): Report {
  const wrong = wrongIn(lines);
  const paragraphs = [
    table(lines.map(rowOf), 'No checks.'),
    ...lines.filter(({ examples }) => examples.length > 0).map(findingsOf),
    summaryOf(lines),
  ];
  return new Report(paragraphs.join('\n\n'), { wrong, checks: lines }, wrong === 0);
}

const resultOf = ({ wrong, isNote }: Line): string => (wrong === 0 ? 'ok' : `${wrong} ${isNote ? 'unused' : 'wrong'}`);

const rowOf = (line: Line) => ({ result: resultOf(line), checked: line.checked, rule: line.check });

const findingsOf = (line: Line): string =>
  [
    `${line.check} (${resultOf(line)}):`,
    ...line.examples.map((example) => `  ${printable(example)}`),
    ...(line.wrong > line.examples.length ? [`  and ${line.wrong - line.examples.length} more`] : []),
  ].join('\n');

function summaryOf(lines: readonly Line[]): string {
  const rules = lines.filter(({ isNote }) => !isNote);
  const violated = rules.filter(({ wrong }) => wrong > 0).length;
  const isUnused = lines.some(({ isNote, wrong }) => isNote && wrong > 0);
  return [
    violated === 0 ? `All ${rules.length} rules hold.` : `${violated} of ${rules.length} rules are violated.`,
    ...(isUnused ? ['Unused rows and blobs take space and have no effect.'] : []),
  ].join(' ');
}
