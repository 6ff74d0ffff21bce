import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import type { Profiler } from 'node:inspector';

// Loaded into every process of a stack by NODE_OPTIONS=--import. The first SIGUSR2 starts a
// profile, the next one writes it to PROFILE_DIR as {app}.{pid}.cpuprofile

const folder = process.env.PROFILE_DIR;
const app = /apps[\\/]([\w-]+)[\\/]src[\\/]main/.exec(process.argv[1] ?? '')?.[1];
/** Sampling interval in microseconds. */
const interval = 200;

if (folder !== undefined && app !== undefined) {
  let session: Session | undefined;
  process.on('SIGUSR2', () => {
    if (session === undefined) {
      session = new Session();
      session.connect();
      session.post('Profiler.enable');
      session.post('Profiler.setSamplingInterval', { interval });
      session.post('Profiler.start');
      return;
    }
    const ended = session;
    session = undefined;
    ended.post('Profiler.stop', (error: Error | null, { profile }: Profiler.StopReturnType) => {
      ended.disconnect();
      if (error === null) writeFileSync(join(folder, `${app}.${process.pid}.cpuprofile`), JSON.stringify(profile));
    });
  });
}
