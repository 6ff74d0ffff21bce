import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { projectPath } from '#config';
import { freePort } from '../../../tools/dev-stack/system/free-port.js';
import { eventually } from './eventually.js';
import { Scrape } from './scrape.js';

interface ReadyBody {
  readonly status: string;
  readonly parts: Readonly<Record<string, string>>;
}

/** An app in a separate process, with an internal port. */
export class TestProgram {
  private text = '';

  private constructor(
    private readonly child: ChildProcess,
    /** `http://127.0.0.1:9464` */
    readonly internalUrl: string,
    /** URL of the port for clients, which only the gateway opens. */
    readonly url: string,
  ) {
    for (const stream of [child.stdout!, child.stderr!]) stream.on('data', (bytes) => (this.text += String(bytes)));
  }

  /** @param app name of its build: `social` is dist/programs/social.js */
  static async start(app: string, environment: NodeJS.ProcessEnv): Promise<TestProgram> {
    const [internal, port] = [environment.INTERNAL_PORT ?? String(await freePort()), String(await freePort())];
    const child = spawn(process.execPath, [projectPath('dist', 'programs', `${app}.js`)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { PATH: process.env.PATH, INTERNAL_PORT: internal, PORT: port, HOST: '127.0.0.1', ...environment },
    });
    return new TestProgram(child, `http://127.0.0.1:${internal}`, `http://127.0.0.1:${port}`);
  }

  /** Standard output and standard error up to now. */
  get output(): string {
    return this.text;
  }

  /** Returns the readiness response, or undefined when the program does not respond. */
  async ready(): Promise<{ status: number; body: ReadyBody } | undefined> {
    const response = await fetch(`${this.internalUrl}/health/ready`).catch(() => undefined);
    return response && { status: response.status, body: (await response.json()) as ReadyBody };
  }

  untilReady(): Promise<unknown> {
    return eventually('the program is ready', async () => (await this.ready())?.status === 200, 60_000);
  }

  scrape(): Promise<Scrape> {
    return Scrape.of(this.internalUrl);
  }

  signal(signal: NodeJS.Signals): void {
    this.child.kill(signal);
  }

  /** Waits for the end of the process and returns its exit code. */
  async ended(): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) await once(this.child, 'exit');
    return this.child.exitCode;
  }

  async kill(): Promise<void> {
    this.signal('SIGKILL');
    await this.ended();
  }
}
