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

/** What OTLP over HTTP sends as JSON. */
const Export = z.object({
  resourceSpans: z.array(
    z.object({
      resource: z.object({ attributes: Attributes }),
      scopeSpans: z.array(z.object({ spans: z.array(SpanShape) })),
    }),
  ),
});

/** A span as it arrived; times in milliseconds since 1970. */
export interface CollectedSpan {
  readonly service: string;
  readonly traceId: string;
  readonly spanId: string;
  /** Empty for the first of its trace. */
  readonly parentId: string;
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly attributes: Readonly<Record<string, unknown>>;
  /** The traces that it is linked to. */
  readonly links: readonly string[];
  readonly isError: boolean;
}

const errorCode = 2;

/** A collector of OpenTelemetry that keeps what it is told. */
export class TestCollector {
  readonly spans: CollectedSpan[] = [];
  /** The headers of what was sent last. */
  headers: Readonly<Record<string, unknown>> = {};

  private constructor(
    readonly url: string,
    private readonly end: () => void,
  ) {}

  static async open(): Promise<TestCollector> {
    const server = createServer((request, response) => {
      void json(request).then((body) => {
        collector.headers = request.headers;
        collector.take(Export.parse(body));
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
    this.end();
  }

  private take({ resourceSpans }: z.output<typeof Export>): void {
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
