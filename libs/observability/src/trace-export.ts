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

/** Tracing settings, as `traceSettings` reads them. */
export interface TraceSettings {
  readonly OTEL_EXPORTER_OTLP_ENDPOINT?: string | undefined;
  readonly OTEL_EXPORTER_OTLP_HEADERS?: Readonly<Record<string, string>> | undefined;
  readonly OTEL_TRACES_SAMPLER_ARG: number;
}

const exportIntervalMs = 1_000;
const exportTimeoutMs = 5_000;
const closeTimeoutMs = 2_000;
/** Further spans are dropped, so that an unreachable collector does not cost memory. */
const maxQueuedSpans = 4_096;
const maxAttributeLength = 2_000;
const warningIntervalMs = 60_000;

/** Limits the warnings to one per minute: exports to an unreachable collector fail every second. */
function throttleWarnings(warn: (text: string) => void): () => void {
  let warnedAt = -Infinity;
  return () => {
    if (performance.now() - warnedAt < warningIntervalMs) return;
    warnedAt = performance.now();
    warn('Trace export failed, spans are lost');
  };
}

/**
 * Creates the tracer of this process, which exports spans to `{endpoint}/v1/traces` as JSON. Call
 * it once.
 */
export function exportTraces(
  app: string,
  { endpoint, ...settings }: TraceSettings & { readonly endpoint: string },
  warn: (text: string) => void,
): { readonly tracer: Tracer; readonly close: () => Promise<void> } {
  const warnThrottled = throttleWarnings(warn);
  const nothing = (): void => undefined;
  const quiet = { warn: nothing, info: nothing, debug: nothing, verbose: nothing };
  diag.setLogger({ ...quiet, error: warnThrottled }, { logLevel: DiagLogLevel.ERROR, suppressOverrideMessage: true });
  context.setGlobalContextManager(new AsyncLocalStorageContextManager().enable());
  propagation.setGlobalPropagator(new W3CTraceContextPropagator());
  const exporter = new OTLPTraceExporter({
    url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
    headers: { ...settings.OTEL_EXPORTER_OTLP_HEADERS },
    timeoutMillis: exportTimeoutMs,
  });
  const provider = new TracerProvider({
    resource: resourceFromAttributes({
      'service.namespace': 'storefront',
      'service.name': app,
      'service.instance.id': `${hostname()}/${process.pid}`,
    }),
    sampler: new ParentBasedSampler({ root: new TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG) }),
    spanLimits: { attributeValueLengthLimit: maxAttributeLength },
    spanProcessors: [
      new BatchSpanProcessor({
        exporter,
        maxQueueSize: maxQueuedSpans,
        scheduledDelayMillis: exportIntervalMs,
        exportTimeoutMillis: exportTimeoutMs,
      }),
    ],
  });
  const close = (): Promise<void> =>
    withTimeout(provider.shutdown().catch(warnThrottled), closeTimeoutMs, () => undefined);
  return { tracer: provider.getTracer('storefront'), close };
}
