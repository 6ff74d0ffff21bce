/** Timeouts of client connections in milliseconds: docs/limits.md. */
export interface EdgeTimes {
  /**
   * From the first byte of a request, or the start of a connection, to the end of the header
   * section. With HTTPS, the handshake before has the same timeout.
   */
  readonly headMs: number;
  /** From the end of the header section to the end of the body, in addition to `largeBodyMs`. */
  readonly requestMs: number;
  /** Between two chunks of a JSON body, because an idle large body would block a permit. */
  readonly bodyIdleMs: number;
  /** From the end of the body to the response; service requests share it as their deadline. */
  readonly responseMs: number;
  /**
   * From the end of the header section to the last byte of the response, including the client's
   * reading, in addition to `largeBodyMs`.
   */
  readonly exchangeMs: number;
  /** Open request without a byte in either direction. */
  readonly idleExchangeMs: number;
  /**
   * Between two requests; longer than the usual 60 s of load balancers, so that the load balancer
   * closes the connection first.
   */
  readonly idleMs: number;
  /**
   * For the client to read the response to plain HTTP on an HTTPS port, or to a body that is not
   * read further.
   */
  readonly closeGraceMs: number;
  /**
   * For the rest of a body after an early response, as long as `requestMs`. See lingering-close.ts.
   */
  readonly lingerMs: number;
  /**
   * Between two chunks of the rest of a body, and after it until the client closes the connection.
   */
  readonly lingerIdleMs: number;
  /** Interval at which `headMs` is checked. */
  readonly checkEveryMs: number;
  /** Polling interval of the certificate files. */
  readonly certificateEveryMs: number;
}

export const edgeTimes: EdgeTimes = {
  headMs: 15_000,
  requestMs: 60_000,
  bodyIdleMs: 10_000,
  responseMs: 30_000,
  exchangeMs: 150_000,
  idleExchangeMs: 90_000,
  idleMs: 65_000,
  closeGraceMs: 1_000,
  lingerMs: 60_000,
  lingerIdleMs: 5_000,
  checkEveryMs: 1_000,
  certificateEveryMs: 5_000,
};
