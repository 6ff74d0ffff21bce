import { drawChart } from './draw.js';

interface BarChart {
  readonly title: string;
  /** Label of the axis with its unit: `microseconds`. */
  readonly y: string;
  /** Names of the bars in a group. */
  readonly series: readonly string[];
  /** Groups with one value per series. */
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly width?: number;
  readonly height?: number;
}

// Same colors as in the line charts
const colors = ['#56b4e9', '#0072b2', '#d55e00'];

/** Lower end of the axis, which is logarithmic because values differ by a factor of a hundred. */
const axisMinimum = 10;

/** Draws groups of bars as an SVG document, with values above the bars and a logarithmic axis. */
export function barChart({ title, y, series, bars, width = 1100, height = 520 }: BarChart): string {
  return drawChart(
    { title, left: 92, width, height, colors },
    {
      legend: { right: 24, top: 14 },
      grid: { top: 64, left: 92, right: 24, bottom: 64, outerBoundsMode: 'none' },
      xAxis: {
        type: 'category',
        data: bars.map(({ name }) => name),
        axisLabel: { interval: 0, rotate: 30, color: '#333' },
      },
      yAxis: {
        type: 'log',
        min: axisMinimum,
        name: y,
        nameLocation: 'middle',
        nameGap: 62,
        axisLabel: { color: '#333' },
      },
      series: series.map((name, at) => ({
        type: 'bar',
        name,
        data: bars.map(({ values }) => Math.round(values[at]!)),
        label: { show: true, position: 'top', fontSize: 10, color: '#333' },
      })),
    },
  );
}
