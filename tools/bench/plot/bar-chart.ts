import { draw } from './draw.js';

interface BarChart {
  readonly title: string;
  /** With its unit: `microseconds`. */
  readonly y: string;
  /** The names of the bars that stand side by side. */
  readonly series: readonly string[];
  /** Each with one value for each series. */
  readonly bars: readonly { readonly name: string; readonly values: readonly number[] }[];
  readonly width?: number;
  readonly height?: number;
}

// As the lines of the other charts
const colours = ['#56b4e9', '#0072b2', '#d55e00'];

/** The bars of what costs a hundred times as much stand in the same chart: each line is ten times the one below it. */
const lowest = 10;

/** Draws groups of bars as an SVG document, with each value above its bar, on a logarithmic axis. */
export function barChart({ title, y, series, bars, width = 1100, height = 520 }: BarChart): string {
  return draw(
    { title, left: 92, width, height, colours },
    {
      legend: { right: 24, top: 14 },
      grid: { top: 64, left: 92, right: 24, bottom: 64, outerBoundsMode: 'none' },
      xAxis: {
        type: 'category',
        data: bars.map(({ name }) => name),
        axisLabel: { interval: 0, rotate: 30, color: '#333' },
      },
      yAxis: { type: 'log', min: lowest, name: y, nameLocation: 'middle', nameGap: 62, axisLabel: { color: '#333' } },
      series: series.map((name, at) => ({
        type: 'bar',
        name,
        data: bars.map(({ values }) => Math.round(values[at]!)),
        label: { show: true, position: 'top', fontSize: 10, color: '#333' },
      })),
    },
  );
}
