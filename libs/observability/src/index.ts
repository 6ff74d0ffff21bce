export { logStderr } from './child-output.js';
export * from './internal-areas.js';
export * from './internal-server.js';
export * from './lifecycle.js';
export { createLog, errorFacts, Log } from './log.js';
export * from './metrics.js';
export * from './nest-log.js';
export { processEnding } from './process-ending.js';
export * from './process-metrics.js';
export * from './readiness.js';
export {
  beginEntry,
  endSpan,
  inSpan,
  isTraced,
  noteInSpan,
  type Span,
  type SpanFacts,
  SpanKind,
  traced,
  tracedEntry,
  traceId,
  traceparent,
} from './tracing.js';
