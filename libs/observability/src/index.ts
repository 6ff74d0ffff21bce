export { logStderr } from './child-output.js';
export * from './internal-routes.js';
export * from './internal-server.js';
export * from './lifecycle.js';
export { createLog, serializeError, Log } from './log.js';
export * from './metrics.js';
export * from './nest-log.js';
export { shutdownSignal } from './shutdown-signal.js';
export * from './process-metrics.js';
export * from './readiness.js';
export {
  startEntrySpan,
  endSpan,
  inSpan,
  isTraced,
  setSpanAttributes,
  type Span,
  type SpanOptions,
  SpanKind,
  traced,
  tracedEntry,
  traceId,
  traceparent,
} from './tracing.js';
