import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { httpMetrics } from './http-metrics.js';

/** Shows how many connections a server has, and what went over them: each socket knows it, so that no request pays for it. */
export function watchTraffic(server: Server, sockets: ReadonlySet<Socket>): void {
  const { connections, sentBytes, receivedBytes, refused } = httpMetrics();
  // Of those that are closed
  const closed = { sent: 0, received: 0 };
  server.on('connection', (socket: Socket) => {
    socket.once('close', () => {
      closed.sent += socket.bytesWritten;
      closed.received += socket.bytesRead;
    });
  });
  server.on('drop', () => refused.inc({ reason: 'connections' }));
  const sum = (of: (socket: Socket) => number): number => [...sockets].reduce((all, socket) => all + of(socket), 0);
  const forget = [
    connections.watch({}, () => sockets.size),
    sentBytes.watch({}, () => closed.sent + sum((socket) => socket.bytesWritten)),
    receivedBytes.watch({}, () => closed.received + sum((socket) => socket.bytesRead)),
  ];
  server.once('close', () => forget.forEach((it) => it()));
}
