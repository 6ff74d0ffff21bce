import { lineChart } from './line-chart.js';

it('draws lines with names, axes with units, and a title', () => {
  const svg = lineChart({
    title: 'Offered against served',
    x: 'offered (requests/s)',
    y: 'served (requests/s)',
    right: 'p99 (ms)',
    series: [
      {
        name: 'with limits',
        points: [
          [0, 1],
          [10, 20],
          [20, 21],
        ],
      },
      {
        name: 'p99',
        points: [
          [0, 5_000],
          [10, 6_000],
          [20, 7_000],
        ],
        isOnRight: true,
      },
    ],
  });
  for (const text of [
    'Offered against served',
    'offered (requests/s)',
    'served (requests/s)',
    'p99 (ms)',
    'with limits',
  ])
    expect(svg).toContain(`>${text}</text>`);
  for (const color of ['#0072b2', '#d55e00']) expect(svg).toMatch(new RegExp(`<path d="[^"]+"[^>]+stroke="${color}"`));
  // Each axis is scaled to its own lines
  for (const tick of ['25', '7,000']) expect(svg).toContain(`>${tick}</text>`);
  expect(svg).toMatch(/^<svg [^>]*width="1000"/);
});
