import { barChart } from './bar-chart.js';

it('draws groups of bars with names, values and a legend', () => {
  const bars = [
    { name: 'list', values: [855.6, 412] },
    { name: 'one', values: [399, 480] },
  ];
  const svg = barChart({ title: 'Processor time', y: 'microseconds', series: ['floor', 'service'], bars });
  for (const text of ['Processor time', 'microseconds', 'floor', 'service', 'list', 'one', '856', '412', '399', '480'])
    expect(svg).toContain(`>${text}</text>`);
});
