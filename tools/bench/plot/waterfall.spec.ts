import { waterfall } from './waterfall.js';

it('draws rows with name, duration and group color, and a legend', () => {
  const svg = waterfall('A request', [
    { name: 'POST /things', depth: 0, group: 'gateway', from: 0, to: 120.4 },
    { name: 'INSERT things', depth: 1, group: 'things', from: 40, to: 43.21 },
  ]);
  for (const text of [
    'A request',
    'gateway',
    'things',
    'POST /things',
    '\u00a0\u00a0\u00a0INSERT things',
    '120',
    '3.2',
  ])
    expect(svg).toContain(`>${text}</text>`);
  for (const color of ['#0072b2', '#d55e00']) expect(svg).toContain(`fill="${color}"`);
});
