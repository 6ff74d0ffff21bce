import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { httpMetrics } from '../observability/http-metrics.js';

/**
 * Shows how many connections a server has, and what went over them: each socket knows it, so that no request pays for it. With
 * HTTPS it is what the connection below TLS has carried: the socket above it counts what was encrypted, and from the end of
 * the handshake only.
 */
export function watchTraffic(server: Server): void {
  const { connections, sentBytes, receivedBytes, refused } = httpMetrics();
  const open = new Set<Socket>();
  // Of those that are not any more
  const closed = { sent: 0, received: 0 };
  server.on('connection', (socket: Socket) => {
    open.add(socket);
    socket.once('close', () => {
      open.delete(socket);
      closed.sent += socket.bytesWritten;
      closed.received += socket.bytesRead;
    });
  });
  server.on('drop', () => refused.inc({ reason: 'connections' }));
  const sum = (of: (socket: Socket) => number): number => [...open].reduce((all, socket) => all + of(socket), 0);
  const forget = [
    connections.watch({}, () => open.size),
    sentBytes.watch({}, () => closed.sent + sum((socket) => socket.bytesWritten)),
    receivedBytes.watch({}, () => closed.received + sum((socket) => socket.bytesRead)),
  ];
  server.once('close', () => forget.forEach((it) => it()));
}
