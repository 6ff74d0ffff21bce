import { metricGroup, durationBucketsSeconds } from '#observability';

/** Metrics of the request queue. */
export const queueMetrics = metricGroup((make) => ({
  clientRequests: make.counter(
    'rq_client_requests_total',
    'Requests by outcome: ok, problem (an error reply), timeout, aborted, or the reason of a local rejection',
    'service',
    'pattern',
    'outcome',
  ),
  clientSeconds: make.histogram(
    'rq_client_seconds',
    'Time from request to reply',
    durationBucketsSeconds,
    'service',
    'pattern',
  ),
  clientInFlight: make.readGauge('rq_client_inflight', 'Requests without a reply yet', 'service'),
  clientRejected: make.counter(
    'rq_client_rejected_total',
    'Local rejections: full (too many wait), inflight (too many are open in this process), down (Redis is unreachable), nolive (no replica)',
    'service',
    'reason',
  ),
  lateReplies: make.counter(
    'rq_client_late_replies_total',
    'Replies without an open request: after its deadline, or after another reply',
  ),
  retries: make.counter('rq_client_retries_total', 'Safe requests that were sent again', 'service', 'pattern'),
  clockRepeats: make.counter(
    'rq_client_clock_repeats_total',
    'Requests rejected as late and sent again because the clock of Redis had stepped',
    'service',
  ),
  queueWait: make.histogram(
    'rq_server_queue_wait_seconds',
    'Time from sending to the start of the handler',
    durationBucketsSeconds,
    'service',
    'lane',
  ),
  handlerSeconds: make.histogram(
    'rq_server_exec_seconds',
    'Time in the handler',
    durationBucketsSeconds,
    'service',
    'pattern',
  ),
  serverInFlight: make.readGauge('rq_server_inflight', 'Running handlers', 'service', 'lane'),
  serverSlots: make.readGauge('rq_server_slots', 'Concurrency limit of handlers', 'service', 'lane'),
  expired: make.counter('rq_server_expired_total', 'Requests rejected unexecuted: deadline passed', 'service'),
  late: make.counter('rq_server_late_total', 'Requests rejected unexecuted: half of their time was over', 'service'),
  unknownPatterns: make.counter('rq_server_unknown_patterns_total', 'Requests without a handler', 'service'),
  badFrames: make.counter('rq_bad_frames_total', 'Dropped frames: not of this version', 'side'),
  repliesLost: make.counter('rq_server_replies_lost_total', 'Replies that could not be pushed', 'service'),
  popItems: make.histogram('rq_server_pop_items', 'Requests taken with one pop', [1, 2, 4, 8, 16, 32, 64], 'service'),
  queueLength: make.readGauge('rq_queue_length', 'Waiting requests. Use the maximum over replicas', 'service', 'lane'),
  clockOffset: make.gauge('rq_clock_offset_seconds', 'Clock of Redis minus own clock'),
  reconnects: make.counter('rq_redis_reconnects_total', 'Reconnections to Redis', 'connection'),
  broadcasts: make.counter('rq_broadcasts_total', 'Broadcasts: received, malformed (dropped)', 'outcome'),
}));

export type QueueMetrics = ReturnType<typeof queueMetrics>;
