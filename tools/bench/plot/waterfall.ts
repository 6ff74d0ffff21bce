import { drawChart } from './draw.js';

/** A bar of a waterfall chart. */
interface WaterfallRow {
  readonly name: string;
  /** Indentation of the name. */
  readonly depth: number;
  /** Group of bars with the same color. */
  readonly group: string;
  /** Start in milliseconds. */
  readonly from: number;
  readonly to: number;
}

const rowHeight = 17;
const margins = { top: 76, left: 380, right: 72, bottom: 48 };
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8c6d00', '#56b4e9'];
const indent = '\u00a0\u00a0\u00a0';

const inMilliseconds = (ms: number): string => (ms < 10 ? ms.toFixed(1) : Math.round(ms).toLocaleString('en'));

/**
 * Draws a waterfall chart as an SVG document, in the order of the rows. Each bar has its duration
 * beside it.
 */
export function waterfall(title: string, rows: readonly WaterfallRow[], width = 1200): string {
  const groups = [...new Set(rows.map(({ group }) => group))];
  const height = margins.top + rows.length * rowHeight + margins.bottom;
  return drawChart(
    { title, left: 16, width, height, colors },
    {
      legend: { data: groups, left: 16, top: 40, itemWidth: 14, itemGap: 28 },
      grid: { ...margins, outerBoundsMode: 'none' },
      xAxis: { type: 'value', min: 0, name: 'milliseconds', nameLocation: 'middle', nameGap: 28 },
      yAxis: {
        type: 'category',
        inverse: true,
        data: rows.map(({ depth, name }) => `${indent.repeat(depth)}${name}`),
        axisTick: { show: false },
        axisLabel: { interval: 0, align: 'left', margin: margins.left - 16, fontSize: 11, color: '#222' },
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
          // Rows of other groups have no bar and no label
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
