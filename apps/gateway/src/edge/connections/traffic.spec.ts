import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { type Counter, type Gauge, register } from 'prom-client';
import { eventually, testCertificate } from '#testing';
import { watchTraffic } from './traffic.js';

const certificate = testCertificate('shop');
const body = 'x'.repeat(50_000);

/** Returns the metrics of all servers: `[connections, sent, received]`. */
async function readMetrics(): Promise<number[]> {
  const names = ['connections', 'sent_bytes_total', 'received_bytes_total'];
  const metrics = names.map((name) => register.getSingleMetric(`gateway_http_${name}`) as Counter | Gauge);
  return Promise.all(metrics.map(async (metric) => (await metric.get()).values[0]?.value ?? 0));
}

const secured = async (socket: Socket): Promise<Socket> => {
  const secure = connectTls({
    socket,
    ca: certificate.cert,
    servername: 'localhost',
    checkServerIdentity: () => undefined,
  });
  await once(secure, 'secureConnect');
  return secure;
};

describe.each([
  ['HTTP', () => createServer(), (socket: Socket) => Promise.resolve(socket)],
  ['HTTPS', () => createSecureServer(certificate), secured],
])('the traffic of %s', (_, create: () => Server, talk) => {
  let server: Server;

  beforeAll(async () => {
    server = create().on('request', (_request, response) => response.end(body));
    watchTraffic(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
  });
  afterAll(() => server.close());

  it('counts bytes on the wire of open and closed connections', async () => {
    const wire = connect((server.address() as AddressInfo).port, '127.0.0.1');
    await once(wire, 'connect');
    await eventually('the connection', async () => (await readMetrics())[0] === 1);
    const socket = await talk(wire);
    let received = 0;
    socket.on('data', (bytes: Buffer) => (received += bytes.length));
    socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n');
    await eventually('the response', async () => received > body.length && (await readMetrics())[1] === wire.bytesRead);
    expect(await readMetrics()).toEqual([1, wire.bytesRead, wire.bytesWritten]);
    socket.end();
    await eventually('the end', async () => wire.destroyed && (await readMetrics())[0] === 0);
    expect(await readMetrics()).toEqual([0, wire.bytesRead, wire.bytesWritten]);
  });
});
