import { metricGroup, usualSeconds } from '#observability';

/** The counters of the request queue. */
export const queueMetrics = metricGroup((make) => ({
  clientRequests: make.counter(
    'rq_client_requests_total',
    'Requests by outcome: ok, problem (an answer that says what is wrong), timeout, aborted, or why it was refused locally',
    'service',
    'pattern',
    'outcome',
  ),
  clientSeconds: make.histogram('rq_client_seconds', 'From request to reply', usualSeconds, 'service', 'pattern'),
  clientInFlight: make.readGauge('rq_client_inflight', 'Requests without a reply yet', 'service'),
  clientRejected: make.counter(
    'rq_client_rejected_total',
    'Refused locally: full (too many wait), inflight (too many are open here), down (Redis is away), nolive (no replica)',
    'service',
    'reason',
  ),
  lateReplies: make.counter('rq_client_late_replies_total', 'Replies that nobody waited for any more'),
  retries: make.counter('rq_client_retries_total', 'Safe requests that were sent again', 'service', 'pattern'),
  clockRepeats: make.counter(
    'rq_client_clock_repeats_total',
    'Requests that were rejected as late and sent again, because the clock of Redis had stepped',
    'service',
  ),
  queueWait: make.histogram(
    'rq_server_queue_wait_seconds',
    'From sending to the start of the handler',
    usualSeconds,
    'service',
    'lane',
  ),
  handlerSeconds: make.histogram('rq_server_exec_seconds', 'Time in the handler', usualSeconds, 'service', 'pattern'),
  serverInFlight: make.readGauge('rq_server_inflight', 'Handlers that run', 'service', 'lane'),
  serverSlots: make.readGauge('rq_server_slots', 'Handlers that may run at once', 'service', 'lane'),
  expired: make.counter('rq_server_expired_total', 'Rejected unexecuted: all of their time was over', 'service'),
  late: make.counter('rq_server_late_total', 'Rejected unexecuted: half of their time was over', 'service'),
  unknownPatterns: make.counter(
    'rq_server_unknown_patterns_total',
    'Requests for a message without handler',
    'service',
  ),
  badFrames: make.counter('rq_bad_frames_total', 'Dropped: not a frame of this version', 'side'),
  repliesLost: make.counter('rq_server_replies_lost_total', 'Replies that could not be pushed', 'service'),
  popItems: make.histogram('rq_server_pop_items', 'Requests taken with one pop', [1, 2, 4, 8, 16, 32, 64], 'service'),
  queueLength: make.readGauge(
    'rq_queue_length',
    'Requests that wait, as each replica of the service sees it: the maximum of them counts',
    'service',
    'lane',
  ),
  clockOffset: make.gauge('rq_clock_offset_ms', 'Clock of Redis minus own clock'),
  reconnects: make.counter('rq_redis_reconnects_total', 'Connections to Redis that were made again', 'connection'),
  notices: make.counter('rq_notices_total', 'Notices received, and dropped because they were unreadable', 'outcome'),
}));

export type QueueMetrics = ReturnType<typeof queueMetrics>;

/** What is kept in memory of answers that were given before, whoever keeps it. */
export const keptMetrics = metricGroup((make) => ({
  answers: make.readCounter(
    'kept_answers_total',
    'Answers that could be kept: a hit was kept from before, shared was made once for several who asked, a miss was made',
    'memory',
    'outcome',
  ),
  bytes: make.readGauge('kept_answers_bytes', 'What is kept takes so much', 'memory'),
  limit: make.readGauge('kept_answers_limit_bytes', 'What may be kept', 'memory'),
}));
