import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { processTreeOf, usageOf } from './process-usage.js';

/** Returns code that uses `ms` of CPU time. */
const use = (ms: number): string =>
  `for (let used = 0; used < ${1_000 * ms}; ) { const { user, system } = process.cpuUsage(); used = user + system; }`;
/** Uses 200 ms of CPU time, prints `done` and continues to run. */
const work = `${use(200)}
  console.log('done'); setInterval(() => {}, 1000)`;

describe('the usage of a process', () => {
  it('includes CPU time, that of ended children, and peak memory; a running child is separate', async () => {
    const program = `const { spawn, spawnSync } = require('node:child_process');
      const run = ['-e', ${JSON.stringify(work)}];
      spawnSync(process.execPath, ['-e', ${JSON.stringify(use(500))}]);
      const child = spawn(process.execPath, run);
      child.stdout.once('data', () => { Buffer.alloc(200e6, 1); ${work} });
      process.on('SIGTERM', () => { child.kill(); process.exit(); });`;
    const parent = spawn(process.execPath, ['-e', program], { stdio: ['ignore', 'pipe', 'inherit'] });
    await once(parent.stdout, 'data');
    const family = await processTreeOf(parent.pid!);
    const [own, child, ...none] = await Promise.all(family.map(usageOf));
    parent.kill();
    expect(none).toEqual([]);
    // Counted in steps of 10 ms. The parent has used 200 ms, its ended child 500
    expect(own!.cpuMs).toBeGreaterThan(650);
    expect(child!.cpuMs).toBeGreaterThan(170);
    expect(own!.peakRss).toBeGreaterThan(200e6);
    expect(own!.peakRss).toBeGreaterThanOrEqual(own!.rss);
    expect(child!.peakRss).toBeGreaterThan(20e6);
    expect(child!.peakRss).toBeLessThan(150e6);
  });

  it('is rejected with ENOENT after the exit', async () => {
    const ended = spawn(process.execPath, ['-e', '']);
    await once(ended, 'exit');
    await expect(usageOf(ended.pid!)).rejects.toMatchObject({ code: 'ENOENT' });
  });
});
