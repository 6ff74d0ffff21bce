/** Timeouts of client connections in milliseconds: docs/limits.md. */
export interface EdgeTimes {
  /**
   * From the first byte of a request, or the start of a connection, to the end of the head. With
   * HTTPS the same time before it for the handshake.
   */
  readonly headMs: number;
  /** From the end of the head to the end of the body: 32 MB at 0.5 MB/s. */
  readonly requestMs: number;
  /** Between two chunks of a JSON body, because an idle large body would block a permit. */
  readonly bodyIdleMs: number;
  /** From the end of the body to the response; service requests share it as their deadline. */
  readonly responseMs: number;
  /** From the end of the head to the last byte of the response, including the client's reading. */
  readonly exchangeMs: number;
  /** Open request without a byte in either direction. */
  readonly idleExchangeMs: number;
  /**
   * Between two requests; longer than the usual 60 s of load balancers, which should close the
   * connection.
   */
  readonly idleMs: number;
  /** For reading the response to plain HTTP, or to a body that is not read further. */
  readonly closeGraceMs: number;
  /** For the rest of a body after its response, as long as for a body. See lingering-close.ts. */
  readonly lingerMs: number;
  /** Between two chunks of that rest, and for a client to close the connection. */
  readonly lingerIdleMs: number;
  /** Interval of checks of heads and bodies. */
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
