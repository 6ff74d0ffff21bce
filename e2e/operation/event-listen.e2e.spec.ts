import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import { type AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { Webhook } from 'standardwebhooks';
import { projectPath, projectRoot } from '#config';
import { TcpProxy } from '#testing';
import { api, baseUrl, eventually, newUser, type User } from '../support/shop.js';

interface ReceivedEvent {
  readonly id: string;
  readonly type: string;
  readonly data: object;
}

/** Local server of a developer, which accepts only events with a valid signature. */
class Receiver {
  readonly received: ReceivedEvent[] = [];
  readonly rejected: string[] = [];
  secret = '';
  /** Status of the responses to valid events. */
  status = 204;
  private readonly server: Server = createServer((request, response) => {
    void text(request).then((body) => {
      try {
        this.received.push(
          new Webhook(this.secret).verify(body, request.headers as Record<string, string>) as ReceivedEvent,
        );
        response.writeHead(this.status).end();
      } catch (error) {
        this.rejected.push(String(error));
        response.writeHead(400).end();
      }
    });
  });

  static async open(): Promise<Receiver> {
    const receiver = new Receiver();
    receiver.server.listen(0, '127.0.0.1');
    await once(receiver.server, 'listening');
    return receiver;
  }

  get url(): string {
    return `http://localhost:${(this.server.address() as AddressInfo).port}/hook`;
  }

  waitFor(count: number): Promise<unknown> {
    return eventually(
      () => Promise.resolve(this.received.length),
      (length) => length >= count,
    );
  }

  close(): void {
    this.server.close();
    this.server.closeAllConnections();
  }
}

/** Process of the operator command. */
class OperatorProcess {
  stdout = '';
  stderr = '';
  private readonly child: ChildProcess;
  private readonly closed: Promise<unknown>;

  constructor(words: readonly string[], environment: Readonly<Record<string, string>> = {}) {
    this.child = spawn(process.execPath, [projectPath('tools/operator.mjs'), ...words], {
      cwd: projectRoot,
      env: { ...process.env, ...environment },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.child.stdout!.setEncoding('utf8').on('data', (chunk: string) => (this.stdout += chunk));
    this.child.stderr!.setEncoding('utf8').on('data', (chunk: string) => (this.stderr += chunk));
    this.closed = once(this.child, 'close');
  }

  /** Waits until stderr matches. Returns the first group of the match. */
  async waitFor(pattern: RegExp): Promise<string> {
    const match = await eventually(
      () => Promise.resolve(pattern.exec(this.stderr)),
      (found) => found !== null,
    );
    return match![1]!;
  }

  interrupt(): void {
    this.child.kill('SIGINT');
  }

  kill(): void {
    this.child.kill('SIGKILL');
  }

  async exitCode(): Promise<number | null> {
    await this.closed;
    return this.child.exitCode;
  }
}

/** Creates choices, each of which appends an event to the log of the user. */
async function createChoices({ apiKey: token }: User, count: number): Promise<void> {
  const titles = Array.from({ length: count }, (_, at) => `Choice ${at}`);
  const created = await Promise.all(titles.map((title) => api('POST', '/choices', { token, body: { title } })));
  expect(created.map(({ status }) => status)).toEqual(titles.map(() => 200));
}

const idsInLog = async ({ apiKey: token }: User): Promise<string[]> =>
  (await api('GET', '/events?after=0&limit=200', { token })).body.events.map(({ id }: ReceivedEvent) => id);

/** Long enough for the start of two processes on a busy machine. */
const timeoutMs = 120_000;

describe('operator event listen', () => {
  let user: User;
  let receiver: Receiver;
  let proxy: TcpProxy;
  const processes: OperatorProcess[] = [];

  const listen = (...words: string[]): OperatorProcess => {
    const environment = { GATEWAY_URL: proxy.url, API_KEY: user.apiKey };
    const started = new OperatorProcess(['event', 'listen', '--to', receiver.url, '--json', ...words], environment);
    processes.push(started);
    return started;
  };

  beforeEach(async () => {
    [user, receiver, proxy] = await Promise.all([newUser(), Receiver.open(), TcpProxy.before(baseUrl)]);
  });
  afterEach(() => {
    for (const started of processes) started.kill();
    receiver.close();
    proxy.close();
  });

  it(
    'forwards each event exactly once across interruptions, and continues after its last cursor',
    async () => {
      const first = listen();
      receiver.secret = await first.waitFor(/signed with (whsec_\S+)\.\n/);
      await first.waitFor(/Following the events after (\d+)\.\n/);
      await createChoices(user, 2);
      await receiver.waitFor(2);
      for (const total of [5, 8]) {
        proxy.cut();
        await createChoices(user, 3);
        await receiver.waitFor(total);
      }
      expect(first.stderr.match(/Reconnecting/g)!.length).toBeGreaterThanOrEqual(2);
      first.interrupt();
      expect(await first.exitCode()).toBe(0);
      const cursor = await first.waitFor(/\nContinue with --after (\d+)\n$/);

      await createChoices(user, 2);
      const second = listen('--after', cursor, '--secret', receiver.secret);
      await receiver.waitFor(10);
      second.interrupt();
      expect(await second.exitCode()).toBe(0);
      expect(second.stderr).not.toContain('whsec_');

      const ids = await idsInLog(user);
      expect(receiver.received.map(({ id }) => id)).toEqual(ids);
      expect([ids.length, receiver.rejected]).toEqual([10, []]);
      const lines = `${first.stdout}${second.stdout}`.trim().split('\n');
      expect(lines.map((line) => JSON.parse(line))).toEqual(
        ids.map((id) => ({
          cursor: expect.stringMatching(/^\d+$/),
          event: expect.objectContaining({ id, type: 'choice.updated' }),
          forward: { status: 204, error: null, durationMs: expect.any(Number) },
        })),
      );
    },
    timeoutMs,
  );

  it('prints a failed forward, does not retry it, and sends only the types of the option', async () => {
    const started = listen('--types', 'choice.updated');
    receiver.secret = await started.waitFor(/signed with (whsec_\S+)\.\n/);
    await started.waitFor(/Following the events after (\d+)\.\n/);
    receiver.status = 500;
    await createChoices(user, 1);
    await receiver.waitFor(1);
    receiver.status = 204;
    await createChoices(user, 1);
    await receiver.waitFor(2);
    started.interrupt();
    expect(await started.exitCode()).toBe(0);
    const statuses = started.stdout.trim().split('\n');
    expect(statuses.map((line) => JSON.parse(line).forward.status)).toEqual([500, 204]);
    expect(new Set(receiver.received.map(({ id }) => id)).size).toBe(2);
  });
});

it(
  'operator event trigger sends an example, and fails if it is not accepted',
  async () => {
    const receiver = await Receiver.open();
    receiver.secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`;
    const words = ['event', 'trigger', 'favorite.placed', '--to', receiver.url];
    const accepted = new OperatorProcess([...words, '--secret', receiver.secret]);
    const rejected = new OperatorProcess(words);
    expect(await Promise.all([accepted.exitCode(), rejected.exitCode()])).toEqual([0, 1]);
    expect(accepted.stdout).toMatch(
      /favorite\.placed +#1 +favoriteId=1 productId=1 userId=2 count=1 +-> 204 in \d+ ms\n$/,
    );
    expect(receiver.received).toMatchObject([
      { type: 'favorite.placed', sequence: 1, data: { favoriteId: 1, count: 1 } },
    ]);
    expect(rejected.stdout).toContain('-> failed: 400');
    expect(rejected.stderr).toMatch(/signed with whsec_/);
    receiver.close();
  },
  timeoutMs,
);
