import { type EChartsCoreOption, init } from 'echarts';

interface Frame {
  readonly title: string;
  /** Left edge of the title in pixels. */
  readonly left: number;
  readonly width: number;
  readonly height: number;
  readonly colors: readonly string[];
}

/** Draws a chart as an SVG document with a title on white. @param option further ECharts options */
export function drawChart({ title, left, width, height, colors }: Frame, option: EChartsCoreOption): string {
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  chart.setOption({
    animation: false,
    backgroundColor: '#fff',
    textStyle: { fontFamily: 'Helvetica, Arial, sans-serif' },
    color: [...colors],
    title: { text: title, left, top: 12, textStyle: { fontSize: 16, fontWeight: 'bold', color: '#111' } },
    ...option,
  });
  const svg = chart.renderToSVGString();
  chart.dispose();
  return svg;
}
