import { constants } from 'node:crypto';
import type { Server, ServerOptions } from 'node:https';
import type { Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Log } from '#observability';
import { type KeyPair, type KeyPairFiles, readKeyPair } from './key-pair.js';
import type { ProblemWriter } from '../errors/problem-writer.js';
import { refusalOfPlainHttp } from '../errors/unreadable-request.js';

/** The connection below TLS. Node hands it out in two events that do not name each other, and keeps it here. */
export const connectionBelow = (socket: TLSSocket): Socket | null =>
  (socket as TLSSocket & { readonly _parent: Socket | null })._parent;

/**
 * Cipher suites: all of TLS 1.3, of TLS 1.2 those with ephemeral keys and an AEAD (RFC 9325, 4.2). Node's own list also has
 * static RSA key exchange, without forward secrecy, and CBC, which has been open to padding oracles.
 */
const ciphers = [
  ...['TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_128_GCM_SHA256'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-AES256-GCM-SHA384', 'ECDHE-RSA-AES256-GCM-SHA384'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/**
 * How HTTPS is served. HTTP/1.1 only: every limit of a connection, and the end of a gateway, are made for one request after
 * the other, and clients who want HTTP/2 have it from the proxy in front.
 */
const context = ({ cert, key }: KeyPair) => ({
  cert,
  key,
  minVersion: 'TLSv1.2' as const,
  ciphers,
  // Nobody needs it, and each costs the server more than the client. TLS 1.3 has none
  secureOptions: constants.SSL_OP_NO_RENEGOTIATION,
});

/** @param handshakeMs what a client has for the handshake, however steadily it comes */
export const tlsOptions = (pair: KeyPair, handshakeMs: number): ServerOptions => ({
  ...context(pair),
  handshakeTimeout: handshakeMs,
});

/**
 * Ends connections that never become HTTPS, without a line of log: anybody can make any number of them. Who speaks HTTP is
 * told so, in HTTP.
 *
 * @param farewellMs what such a client has to read it
 */
export function endFailedHandshakes(server: Server, problemWriter: ProblemWriter, farewellMs: number): void {
  // Node's own listener hands them on as requests that could not be read; an answer would wait for the handshake
  server.removeAllListeners('tlsClientError');
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket: TLSSocket) => {
    const below = error.code === 'ERR_SSL_HTTP_REQUEST' ? connectionBelow(socket) : null;
    if (!below) {
      socket.destroy();
      return;
    }
    below.end(refusalOfPlainHttp(problemWriter));
    const timer = setTimeout(() => socket.destroy(), farewellMs).unref();
    socket.once('close', () => clearTimeout(timer));
  });
}

/**
 * Serves what the files hold, from now on and whenever they have changed; connections that are there stay as they are. Looks
 * at the content again and again: secrets that are mounted change behind a symbolic link, which no watch of a file notices.
 * What cannot be served is refused in one line, and the last good pair stays. It must be found twice: files that are replaced
 * one after the other do not fit in between.
 */
export function followKeyPair(server: Server, files: KeyPairFiles, log: Log, everyMs: number): void {
  let served = '';
  let earlier = '';
  let refused = '';
  const look = (): void => {
    try {
      const pair = readKeyPair(files);
      if (pair.cert + pair.key !== served) {
        server.setSecureContext(context(pair));
        served = pair.cert + pair.key;
        log.info({ validTo: pair.validTo }, 'serving HTTPS with the certificate of TLS_CERT_FILE');
      }
      earlier = refused = '';
    } catch (error) {
      const { message } = error as Error;
      if (message === earlier && message !== refused) {
        log.error({ reason: message }, 'the new certificate cannot be served, the last one stays');
        refused = message;
      }
      earlier = message;
    }
  };
  look();
  const timer = setInterval(look, everyMs).unref();
  server.once('close', () => clearInterval(timer));
}
