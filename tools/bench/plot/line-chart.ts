import { drawChart } from './draw.js';

export interface Series {
  readonly name: string;
  /** Points ordered by x. */
  readonly points: readonly (readonly [x: number, y: number])[];
  /** True if the series uses the right axis. */
  readonly isOnRight?: boolean;
}

interface LineChart {
  readonly title: string;
  /** Label with its unit: `minutes`. */
  readonly x: string;
  /** Label with its unit: `resident memory (MB)`. */
  readonly y: string;
  /** Label of the right axis, if a series uses it. */
  readonly right?: string;
  readonly series: readonly Series[];
  readonly width?: number;
  readonly height?: number;
}

// Distinct on white, also with red-green color blindness. Lines after the eighth, which repeat
// colors, and lines of the right axis are dashed
const colors = ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#8c6d00', '#56b4e9', '#7f3c8d', '#333333'];
const plot = { top: 56, left: 84, bottom: 56 };
const legendWidth = 190;

const axis = (name: string, gap: number) => ({
  type: 'value' as const,
  min: 0,
  name,
  nameLocation: 'middle' as const,
  nameGap: gap,
  nameTextStyle: { color: '#333', fontSize: 13 },
  axisLine: { show: true, lineStyle: { color: '#888' } },
  axisLabel: { color: '#333' },
  splitLine: { lineStyle: { color: '#e6e6e6' } },
});

/** Draws lines as an SVG document, with a legend. All axes start at 0. */
export function lineChart({ title, x, y, right, series, width = 1000, height = 520 }: LineChart): string {
  return drawChart(
    { title, left: plot.left, width, height, colors },
    {
      legend: {
        type: 'plain',
        orient: 'vertical',
        left: width - legendWidth + 8,
        top: plot.top,
        itemGap: 8,
        itemWidth: 28,
        itemStyle: { opacity: 0 },
      },
      grid: { ...plot, right: legendWidth + (right === undefined ? 16 : 64), outerBoundsMode: 'none' },
      xAxis: axis(x, 32),
      yAxis: [axis(y, 58), ...(right === undefined ? [] : [{ ...axis(right, 48), splitLine: { show: false } }])],
      series: series.map(({ name, points, isOnRight = false }, index) => ({
        type: 'line',
        name,
        data: points.map((point) => [...point]),
        yAxisIndex: isOnRight ? 1 : 0,
        showSymbol: points.length <= 30,
        symbolSize: 5,
        lineStyle: { width: 2, type: index >= colors.length || isOnRight ? 'dashed' : 'solid' },
      })),
    },
  );
}
