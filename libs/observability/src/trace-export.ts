import { hostname } from 'node:os';
import { context, diag, DiagLogLevel, propagation, type Tracer } from '@opentelemetry/api';
import { AsyncLocalStorageContextManager } from '@opentelemetry/context-async-hooks';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import {
  BatchSpanProcessor,
  ParentBasedSampler,
  TraceIdRatioBasedSampler,
  TracerProvider,
} from '@opentelemetry/sdk-trace';
import { withTimeout } from '#concurrency';

/** The settings of tracing, as `traceSettings` reads them. */
export interface TraceSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

const sendEveryMs = 1_000;
const sendWithinMs = 5_000;
const closeWithinMs = 2_000;
/** More than that is dropped: a collector that is away must not cost memory. */
const spansAtMost = 4_096;
const longestAttribute = 2_000;
const sayAgainMs = 60_000;

/** A collector that is away fails each second: once a minute is enough to know. */
function sayNowAndThen(warn: (text: string) => void): () => void {
  let saidAt = -Infinity;
  return () => {
    if (performance.now() - saidAt < sayAgainMs) return;
    saidAt = performance.now();
    warn('the collector of traces did not take spans; they are lost');
  };
}

/** Makes the tracer of this process, whose spans go to `{endpoint}/v1/traces` as JSON. To be made once. */
export function exportTraces(
  app: string,
  { endpoint, ...settings }: TraceSettings & { readonly endpoint: string },
  warn: (text: string) => void,
): { readonly tracer: Tracer; readonly close: () => Promise<void> } {
  const say = sayNowAndThen(warn);
  const nothing = (): void => undefined;
  const quiet = { warn: nothing, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger({ ...quiet, error: say }, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS },
    timeoutMillis: sendWithinMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'storefront',
      'service.name': app,
      'service.instance.id': `${hostname()}/${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanLimits: { attributeValueLengthLimit: longestAttribute },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: spansAtMost,
        scheduledDelayMillis: sendEveryMs,
        exportTimeoutMillis: sendWithinMs,
      }),
    ],
  });
  const close = (): Promise<void> => withTimeout(provider.shutdown().catch(say), closeWithinMs, () => undefined);
  return { tracer: provider.getTracer('storefront'), close };
}
