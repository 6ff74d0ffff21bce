import { readFileSync } from 'node:fs';
import { NestFactory } from '@nestjs/core';
import type { AxeResults } from 'axe-core';
import { type Queue, UnrecoverableError, Worker } from 'bullmq';
import { Redis } from 'ioredis';
import { type Browser, chromium, type Locator, type Page } from 'playwright-core';
import { Registry } from 'prom-client';
import { projectPath } from '#config';
import { eventQueues } from '#events';
import { InternalServer, Readiness } from '#observability';
import { eventually, testRedisUrl } from '#testing';
import { chromiumForTests } from '../../../tools/test/chromium.mjs';
import { QueueBoardModule } from './queue-board.module.js';

const password = 'a password of at least 32 characters';
const prefix = 'rejected-actions-test';
const executablePath = chromiumForTests();
const axeScript = readFileSync(projectPath('node_modules/axe-core/axe.min.js'), 'utf8');

// Skipped without Chromium, which not every machine has; the build server requires it
(executablePath === undefined ? describe.skip : describe)('the buttons of the queue board', () => {
  const redisUrl = testRedisUrl();
  let connection: Redis;
  let queue: Queue;
  let server: InternalServer;
  let closeBoard: () => Promise<void>;
  let browser: Browser | undefined;
  let page: Page;
  let url: string;

  beforeAll(async () => {
    connection = new Redis(redisUrl, { maxRetriesPerRequest: null });
    queue = eventQueues(connection, prefix).get('activity')!;
    server = new InternalServer({ port: 0, registry: new Registry(), readiness: new Readiness() });
    url = `http://127.0.0.1:${await server.open()}/queues`;
    const board = QueueBoardModule.with({ password, jobsUrl: redisUrl, prefix });
    const app = await NestFactory.createApplicationContext(board, { logger: false });
    closeBoard = () => app.close();
    await addJobs();
    browser = await chromium.launch({
      executablePath: executablePath!,
      args: ['--no-sandbox', '--disable-dev-shm-usage'],
    });
    const httpCredentials = { username: 'operator', password };
    page = await browser.newPage({ httpCredentials, locale: 'ja-JP' });
  });
  afterAll(async () => {
    await browser?.close();
    await closeBoard();
    server.close();
    await queue.obliterate({ force: true });
    await queue.close();
    connection.disconnect();
  });

  /** Adds a job in each state that a test opens. */
  async function addJobs(): Promise<void> {
    await queue.addBulk(['complete', 'fail'].map((name) => ({ name, data: {} })));
    const consume = ({ name }: { name: string }): Promise<void> =>
      name === 'fail' ? Promise.reject(new UnrecoverableError('failed')) : Promise.resolve();
    const worker = new Worker(queue.name, consume, { connection: { url: redisUrl }, prefix });
    await eventually('the end of the jobs', async () => (await queue.getJobCountByTypes('wait', 'active')) === 0);
    await worker.close();
    await queue.add('delayed', {}, { delay: 600_000 });
    await queue.add('waiting', {});
    await queue.add('prioritized', {}, { priority: 5 });
  }

  /** Returns the icons of the visible elements. */
  async function iconsOf(elements: Locator): Promise<string[]> {
    const visible = elements.filter({ visible: true });
    const classes = await visible.locator('svg').evaluateAll((icons) => icons.map((it) => it.getAttribute('class')));
    return classes.map((it) => /lucide-[\w-]+/.exec(it ?? '')![0]);
  }
  const openQueue = async (status: string): Promise<void> => {
    await page.goto(`${url}/queue/${queue.name}?status=${status}`);
    await page.locator('[class^="copyBtn-"]').first().waitFor();
  };

  it.each([
    ['failed', ['lucide-refresh-cw', 'lucide-trash'], ['lucide-refresh-cw', 'lucide-trash']],
    ['delayed', ['lucide-corner-up-left', 'lucide-trash'], ['lucide-corner-up-left']],
    ['completed', [], []],
    ['waiting', [], []],
    ['prioritized', [], []],
  ])('are those of the allowed changes of %s jobs', async (status, ofJob, ofQueue) => {
    await openQueue(status);
    expect(await page.locator('[class^="jobActions-"] button').count()).toBeGreaterThan(1);
    expect(await iconsOf(page.locator('[class^="jobActions-"] button'))).toEqual(ofJob);
    expect(await iconsOf(page.locator('[class^="queueActions-"] button'))).toEqual(ofQueue);
  });

  it('are those of the allowed changes of a queue and of all queues', async () => {
    await openQueue('failed');
    const items = page.getByRole('menuitem', { includeHidden: true });
    await page.locator('main button[aria-haspopup]').first().click();
    await items.first().waitFor({ state: 'attached' });
    expect(await items.count()).toBeGreaterThan(4);
    expect(await iconsOf(items)).toEqual(['lucide-refresh-cw']);
    await page.goto(url);
    await page.locator('main button[aria-haspopup]').first().click();
    await items.first().waitFor({ state: 'attached' });
    expect(await iconsOf(items)).toEqual(['lucide-refresh-cw', 'lucide-arrow-up-down']);
  });

  it('add no violation of accessibility rules to those of Bull Board when they are hidden', async () => {
    /** Returns rule and element of each violation. */
    const violations = async (): Promise<string[]> => {
      const found = await page.evaluate<AxeResults['violations']>(
        `axe.run({ resultTypes: ['violations'] }).then((it) => it.violations)`,
      );
      return found.flatMap(({ id, nodes }) => nodes.map(({ target }) => `${id}: ${target.join(' ')}`));
    };
    for (const status of ['failed', 'completed']) {
      await openQueue(status);
      await page.evaluate(axeScript);
      const ours = await violations();
      await page.evaluate(
        `[...document.querySelectorAll('style')].find((it) => it.textContent.includes('jobActions-')).remove()`,
      );
      const theirs = new Set(await violations());
      expect([status, ours.filter((it) => !theirs.has(it))]).toEqual([status, []]);
    }
  });

  it('resume a paused queue', async () => {
    await queue.pause();
    await openQueue('failed');
    const items = page.getByRole('menuitem', { includeHidden: true });
    await page.locator('main button[aria-haspopup]').first().click();
    await items.first().waitFor({ state: 'attached' });
    expect(await iconsOf(items)).toEqual(['lucide-refresh-cw', 'lucide-play']);
    await queue.resume();
  });
});
