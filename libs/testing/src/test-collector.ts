import { createServer } from 'node:http';
import { type AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';
import { z } from 'zod';

const Value = z.object({
  stringValue: z.string().optional(),
  intValue: z.coerce.number().optional(),
  doubleValue: z.number().optional(),
  boolValue: z.boolean().optional(),
});
const Attributes = z
  .array(z.object({ key: z.string(), value: Value }))
  .default([])
  .transform((all) => Object.fromEntries(all.map(({ key, value }) => [key, Object.values(value)[0]])));

const nanoseconds = z.coerce.bigint().transform((it) => Number(it / 1_000n) / 1_000);

const SpanShape = z.object({
  traceId: z.string(),
  spanId: z.string(),
  parentSpanId: z.string().default(''),
  name: z.string(),
  startTimeUnixNano: nanoseconds,
  endTimeUnixNano: nanoseconds,
  attributes: Attributes,
  links: z.array(z.object({ traceId: z.string() })).default([]),
  status: z.object({ code: z.int().optional() }).default({}),
});

/** A trace export of OTLP over HTTP, as JSON. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(SpanShape) })),
    }),
  ),
});

/** A received span; times in milliseconds since 1970. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the root span of a trace. */
  readonly parentId: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** Ids of the traces that the span is linked to. */
  readonly links: readonly string[];
  readonly isError: boolean;
}

const errorCode = 2;

/** An OpenTelemetry collector that stores the spans that it receives. */
export class TestCollector {
  readonly spans: CollectedSpan[] = [];
  /** The headers of the last request. */
  headers: Readonly<Record<string, unknown>> = {};

  private constructor(
    readonly url: string,
    private readonly closeServer: () => void,
  ) {}

  static async open(): Promise<TestCollector> {
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        collector.headers = request.headers;
        collector.add(Export.parse(body));
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    const collector = new TestCollector(`http://127.0.0.1:${port}`, () => {
      server.close();
      server.closeAllConnections();
    });
    return collector;
  }

  close(): void {
    this.closeServer();
  }

  private add({ resourceSpans }: z.output<typeof Export>): void {
    for (const { resource, scopeSpans } of resourceSpans)
      for (const { spans } of scopeSpans)
        for (const span of spans)
          this.spans.push({
            service: String(resource.attributes['service.name']),
            traceId: span.traceId,
            spanId: span.spanId,
            parentId: span.parentSpanId,
            name: span.name,
            from: span.startTimeUnixNano,
            to: span.endTimeUnixNano,
            attributes: span.attributes,
            links: span.links.map(({ traceId }) => traceId),
            isError: span.status.code === errorCode,
          });
  }
}
