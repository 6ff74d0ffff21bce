/**
 * Destination of a file. The promise resolves when the bytes are stored; the next ones may be in
 * the same buffer.
 */
export type Sink = (bytes: Uint8Array) => Promise<void>;
