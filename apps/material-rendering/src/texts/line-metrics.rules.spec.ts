import { readFileSync } from 'node:fs';
import { fontFiles } from './font.files.js';
import { withLineMetrics } from './line-metrics.rules.js';

describe('line metrics of a font', () => {
  const thai = readFileSync(fontFiles.find((file) => file.includes('Thai'))!);

  it('are changed in both tables, and nothing else is', () => {
    const before = Buffer.from(thai);
    const changed = withLineMetrics(thai, { above: 1.3, below: 0.29 });
    expect(thai.equals(before)).toBe(true);
    expect(changed).toHaveLength(thai.length);
    const differing = [...changed.keys()].filter((at) => changed[at] !== thai[at]);
    const numbers = new Set(differing.map((at) => changed.readInt16BE(at - (at % 2))));
    expect([...numbers].sort((a, b) => a - b)).toEqual([-290, 1300]);
    expect(differing.length).toBeLessThanOrEqual(8);
  });

  it('cause an error for a file that is no font', () => {
    expect(() => withLineMetrics(Buffer.alloc(64), { above: 1, below: 0 })).toThrow('has no table head');
  });
});
