import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { httpMetrics } from '../observability/http-metrics.js';

/**
 * Exports connections and traffic of a server from the counters of sockets, without cost per
 * request. With HTTPS the TCP socket is counted, because the TLS socket counts plain bytes after
 * the handshake only.
 */
export function watchTraffic(server: Server): void {
  const { connections, sentBytes, receivedBytes, rejected } = httpMetrics();
  const open = new Set<Socket>();
  // Totals of closed connections
  const closed = { sent: 0, received: 0 };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed.sent += socket.bytesWritten;
      closed.received += socket.bytesRead;
    });
  });
  server.on('drop', () => rejected.inc({ reason: 'connections' }));
  const sum = (of: (socket: Socket) => number): number => [...open].reduce((all, socket) => all + of(socket), 0);
  const unregister = [
    connections.watch({}, () => open.size),
    sentBytes.watch({}, () => closed.sent + sum((socket) => socket.bytesWritten)),
    receivedBytes.watch({}, () => closed.received + sum((socket) => socket.bytesRead)),
  ];
  server.once('close', () => unregister.forEach((it) => it()));
}
