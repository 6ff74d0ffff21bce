import { constants } from 'node:crypto';
import type { Server, ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Log } from '#observability';
import { type KeyPair, type KeyPairFiles, readKeyPair } from './key-pair.js';
import type { ProblemWriter } from '../errors/problem-writer.js';
import { plainHttpResponse } from '../errors/malformed-request.js';

/**
 * Returns the TCP socket of a TLS socket. Node.js emits both in separate events and links them by
 * `_parent` only.
 */
export const connectionBelow = (socket: TLSSocket): Socket | null =>
  (socket as TLSSocket & { readonly _parent: Socket | null })._parent;

/**
 * Cipher suites: OpenSSL's default ones of TLS 1.3, and those of TLS 1.2 with ephemeral keys and
 * AEAD (RFC 9325, 4.2). Node's default list also has static RSA key exchange, without forward
 * secrecy, and CBC, which is vulnerable to padding oracles.
 */
const ciphers = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/**
 * TLS context. HTTP/1.1 only, because connection limits and graceful shutdown assume sequential
 * requests; a proxy in front can serve HTTP/2.
 */
const context = ({ cert, key }: KeyPair) => ({
  cert,
  key,
  minVersion: 'TLSv1.2' as const,
  ciphers,
  // Renegotiation is unneeded and costs the server more than the client. TLS 1.3 has none
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});

/** Returns the options of the HTTPS server. @param handshakeMs handshake timeout */
export const tlsOptions = (pair: KeyPair, handshakeMs: number): ServerOptions => ({
  ...context(pair),
  handshakeTimeout: handshakeMs,
});

/**
 * Closes connections with failed handshakes, without a log line, because anyone can open any number
 * of them. Plain HTTP gets an HTTP response.
 *
 * @param closeGraceMs time for a client of plain HTTP to read the response
 */
export function closeFailedHandshakes(server: Server, problemWriter: ProblemWriter, closeGraceMs: number): void {
  // Node's listener emits failed handshakes as `clientError`, whose response would wait for the
  // handshake
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const below = error.code === 'ERR_SSL_HTTP_REQUEST' ? connectionBelow(socket) : null;
    if (!below) {
      socket.destroy();
      return;
    }
    below.end(plainHttpResponse(problemWriter));
    const timer = setTimeout(() => socket.destroy(), closeGraceMs).unref();
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Reloads the certificate when the files change; existing connections are not affected. Polls the
 * content, because mounted secrets change behind a symbolic link, which file watches do not notice.
 * If a pair is unusable, the last valid one stays in use. The error is logged once, after two polls
 * with the same error, because files that are replaced one after the other do not match in between.
 */
export function watchKeyPair(server: Server, files: KeyPairFiles, log: Log, intervalMs: number): void {
  let served = '';
  let previousError = '';
  let loggedError = '';
  const reload = (): void => {
    try {
      const pair = readKeyPair(files);
      if (pair.cert + pair.key !== served) {
        server.setSecureContext(context(pair));
        served = pair.cert + pair.key;
        log.info({ validTo: pair.validTo }, 'HTTPS uses the certificate of TLS_CERT_FILE');
      }
      previousError = loggedError = '';
    } catch (error) {
      const { message } = error as Error;
      if (message === previousError && message !== loggedError) {
        log.error({ reason: message }, 'New certificate is unusable, the previous one stays in use');
        loggedError = message;
      }
      previousError = message;
    }
  };
  reload();
  const timer = setInterval(reload, intervalMs).unref();
  server.once('close', () => clearInterval(timer));
}
