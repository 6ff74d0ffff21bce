import { rmSync } from 'node:fs';
import { createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { readEnvironmentOrExit } from '#config';
import { createLog, errorFacts } from '#observability';
import { type Child, startChild } from './child-process.js';
import { decodeProgram, writeProgram } from './child-programs.js';
import { SandboxEnv } from './sandbox-env.js';
import { encodeEnd, type SandboxedProgram, socketOf } from './sandbox-child.js';
import { configureFonts, type FontConfiguration } from './texts/fonts.js';

/**
 * The sandbox: runs the child processes that open what clients sent, in a container of its own that has no secret, no
 * volume and no network. Each connection to one of its sockets is a child: orders and answers are handed on as they come,
 * a caller that closes its connection ends its child, and the last byte is the way in which a child ended.
 */
const env = readEnvironmentOrExit(SandboxEnv);
const log = createLog({ app: 'sandbox', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

let fonts: FontConfiguration | undefined;
function writer(): Child {
  if (fonts?.isComplete() !== true) fonts = configureFonts();
  return startChild({ ...writeProgram, env: { FONTCONFIG_FILE: fonts.file } }, log);
}

const programs: Readonly<Record<SandboxedProgram, () => Child>> = {
  decode: () => startChild(decodeProgram, log),
  write: writer,
};

async function serve(socket: Socket, start: () => Child): Promise<void> {
  const child = start();
  socket.on('error', () => undefined).once('close', () => child.kill());
  socket.pipe(child.stream);
  child.stream.pipe(socket, { end: false });
  socket.end(encodeEnd(await child.ended));
}

function listen(path: string, answer: (socket: Socket) => void): void {
  // Of a sandbox that was killed
  rmSync(path, { force: true });
  // Apps have another user
  createServer(answer).listen({ path, readableAll: true, writableAll: true });
}

for (const [program, start] of Object.entries(programs))
  listen(socketOf(env.SANDBOX_FOLDER, program as SandboxedProgram), (socket) => {
    serve(socket, start).catch((error: unknown) => {
      log.error({ err: errorFacts(error), program }, 'A child process could not be started');
      socket.destroy();
    });
  });
// For probes: a connection to the others is a process
listen(join(env.SANDBOX_FOLDER, 'health.sock'), (socket) => socket.on('error', () => undefined).end());
process.on('uncaughtException', (error) => {
  log.fatal({ err: errorFacts(error) }, 'The sandbox failed and ends');
  process.exit(1);
});
// Its callers end first; its children end with it
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
log.info({ folder: env.SANDBOX_FOLDER }, 'The sandbox takes orders');
