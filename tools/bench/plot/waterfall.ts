import { draw } from './draw.js';

/** One bar of a waterfall. */
interface WaterfallRow {
  readonly name: string;
  /** How far the name is indented. */
  readonly depth: number;
  /** Bars of the same group have the same colour. */
  readonly group: string;
  /** Milliseconds since the beginning. */
  readonly from: number;
  readonly to: number;
}

const rowHeight = 17;
const around = { top: 76, left: 380, right: 72, bottom: 48 };
const colours = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8c6d00', '#56b4e9'];
const indent = '\u00a0\u00a0\u00a0';

const inMilliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en'));

/** Draws what happened one below the other, in the order of the rows, as an SVG document. Each bar has its length beside it. */
export function waterfall(title: string, rows: readonly WaterfallRow[], width = 1200): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const height = around.top + rows.length * rowHeight + around.bottom;
  return draw(
    { title, left: 16, width, height, colours },
    {
      legend: { data: groups, left: 16, top: 40, itemWidth: 14, itemGap: 28 },
      grid: { ...around, outerBoundsMode: 'none' },
      xAxis: { type: 'value', min: 0, name: 'milliseconds', nameLocation: 'middle', nameGap: 28 },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(({ depth, name }) => `${indent.repeat(depth)}${name}`),
        axisTick: { show: false },
        axisLabel: { interval: 0, align: 'left', margin: around.left - 16, fontSize: 11, color: '#222' },
      },
      series: [
        {
          type: 'bar',
          stack: 'rows',
          silent: true,
          itemStyle: { color: 'transparent' },
          barWidth: rowHeight - 6,
          data: rows.map(({ from }) => from),
        },
        ...groups.map((name) => ({
          type: 'bar',
          stack: 'rows',
          name,
          barMinHeight: 2,
          // A row without a bar of this group has none, and no label either
          data: rows.map(({ group, from, to }) => (group === name ? to - from : '-')),
          label: {
            show: true,
            position: 'right',
            fontSize: 10,
            color: '#555',
            formatter: ({ value }: { readonly value: unknown }) => inMilliseconds(Number(value)),
          },
        })),
      ],
    },
  );
}
