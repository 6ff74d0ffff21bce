/** How long the gateway bears with a client, in milliseconds: see docs/limits.md. */
export interface EdgeTimes {
  /**
   * From the first byte of a request, or the beginning of a connection, to the end of the head. With HTTPS as much before
   * that for the handshake.
   */
  readonly headMs: number;
  /** From there to the end of the body: 32 MB at half a megabyte a second. */
  readonly requestMs: number;
  /** Between two pieces of a JSON body: one that has a place among the large ones keeps others out. */
  readonly bodySilenceMs: number;
  /** From the end of the body to the answer; what services are asked meanwhile shares it, and hears of it. */
  readonly answerMs: number;
  /** From the end of the head to the moment when the last byte of the answer has left: all of the above, and the reading. */
  readonly exchangeMs: number;
  /** Without a byte in either direction. */
  readonly silenceMs: number;
  /** Between two requests; longer than the 60 s of the usual load balancer, which should be the one to end it. */
  readonly idleMs: number;
  /** To read that it must be HTTPS, or the response to a body of which no more is read. */
  readonly farewellMs: number;
  /** For the rest of a body after its response: as long as a body may take. See lingering-close.ts. */
  readonly lingerMs: number;
  /** Between two pieces of that rest, and for a client to close a connection. */
  readonly lingerSilenceMs: number;
  /** How often heads and bodies are looked at. */
  readonly checkEveryMs: number;
  /** How often the files of the certificate are looked at. */
  readonly certificateEveryMs: number;
}

export const edgeTimes: EdgeTimes = {
  headMs: 15_000,
  requestMs: 60_000,
  bodySilenceMs: 10_000,
  answerMs: 30_000,
  exchangeMs: 150_000,
  silenceMs: 90_000,
  idleMs: 65_000,
  farewellMs: 1_000,
  lingerMs: 60_000,
  lingerSilenceMs: 5_000,
  checkEveryMs: 1_000,
  certificateEveryMs: 5_000,
};
