import { Counter, Gauge, Histogram, register, type Registry } from 'prom-client';

const seconds = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

function create(registry: Registry) {
  const registers = [registry];
  const counter = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Counter({ name, help, labelNames, registers });
  const gauge = <Label extends string>(name: string, help: string, ...labelNames: Label[]) =>
    new Gauge({ name, help, labelNames, registers });
  const histogram = <Label extends string>(name: string, help: string, buckets: number[], ...labelNames: Label[]) =>
    new Histogram({ name, help, buckets, labelNames, registers });
  return {
    clientRequests: counter('rq_client_requests_total', 'Requests by outcome', 'service', 'pattern', 'outcome'),
    clientSeconds: histogram('rq_client_seconds', 'From request to reply', seconds, 'service', 'pattern'),
    clientInFlight: gauge('rq_client_inflight', 'Requests without a reply yet', 'service'),
    clientRejected: counter('rq_client_rejected_total', 'Refused locally', 'service', 'reason'),
    lateReplies: counter('rq_client_late_replies_total', 'Replies that nobody waited for any more'),
    retries: counter('rq_client_retries_total', 'Safe requests that were sent again', 'service', 'pattern'),
    queueWait: histogram(
      'rq_server_queue_wait_seconds',
      'From sending to the start of the handler',
      seconds,
      'service',
    ),
    handlerSeconds: histogram('rq_server_exec_seconds', 'Time in the handler', seconds, 'service', 'pattern'),
    serverInFlight: gauge('rq_server_inflight', 'Handlers that run', 'service'),
    serverSlots: gauge('rq_server_slots', 'Handlers that may run at once', 'service'),
    expired: counter('rq_server_expired_total', 'Dropped unexecuted: the caller had stopped waiting', 'service'),
    late: counter('rq_server_late_total', 'Refused unexecuted: half of their time was over', 'service'),
    unknownPatterns: counter('rq_server_unknown_patterns_total', 'Requests for a message without handler', 'service'),
    badFrames: counter('rq_bad_frames_total', 'Dropped: not a frame of this version', 'side'),
    repliesLost: counter('rq_server_replies_lost_total', 'Replies that could not be pushed', 'service'),
    popItems: histogram('rq_server_pop_items', 'Requests taken with one pop', [1, 2, 4, 8, 16, 32, 64], 'service'),
    queueLength: gauge('rq_queue_length', 'Requests that wait', 'service'),
    clockOffset: gauge('rq_clock_offset_ms', 'Clock of Redis minus own clock'),
    reconnects: counter('rq_redis_reconnects_total', 'Connections to Redis that were made again', 'connection'),
    notices: counter('rq_notices_total', 'Notices received, and dropped because they were unreadable', 'outcome'),
  };
}

export type QueueMetrics = ReturnType<typeof create>;

const created = new WeakMap<Registry, QueueMetrics>();

/** The counters of the request queue in a registry, made once for each; the process-wide one unless told otherwise. */
export function queueMetrics(registry: Registry = register): QueueMetrics {
  let metrics = created.get(registry);
  if (!metrics) created.set(registry, (metrics = create(registry)));
  return metrics;
}
