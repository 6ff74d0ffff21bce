import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { readEnvironmentOrExit } from '#config';
import { createLog, serializeError } from '#observability';
import { type ChildProgram, type ConnectedChild, startConnectedChild } from './child-process.js';
import { decodeProgram, writeProgram } from './child-programs.js';
import { SandboxEnv } from './sandbox-env.js';
import { type SandboxedProgram, socketOf, writeNews } from './sandbox-child.js';
import { configureFonts, type FontConfiguration } from '../texts/font.files.js';

/**
 * The sandbox: runs the child processes that open what clients sent, in a container of its own that has no secret, no
 * volume and no network. Each connection to one of its sockets is a child, and ends with it. The caller then connects to a
 * socket of this child alone: neither orders nor replies pass through this process.
 */
const env = readEnvironmentOrExit(SandboxEnv);
const log = createLog({ app: 'sandbox', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

let fonts: FontConfiguration | undefined;
function writer(): ChildProgram {
  if (fonts?.isComplete() !== true) fonts = configureFonts();
  return { ...writeProgram, env: { FONTCONFIG_FILE: fonts.file } };
}

const programs: Readonly<Record<SandboxedProgram, () => ChildProgram>> = {
  decode: () => decodeProgram,
  write: writer,
};

function serve(control: Socket, program: () => ChildProgram): void {
  const socket = `${randomUUID()}.sock`;
  let child: ConnectedChild | undefined;
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    server.close();
    try {
      child = startConnectedChild(program(), connection, log);
    } catch (error) {
      log.error({ err: serializeError(error) }, 'A child process could not be started');
      connection.destroy();
      control.destroy();
      return;
    }
    void child.ended.then((ended) => {
      writeNews(control, { ended });
      control.end();
    });
  });
  // Also of accept(): without a free descriptor this child fails, and the sandbox stays
  server.on('error', (error) => {
    log.error({ err: serializeError(error) }, 'A socket for a child process failed');
    control.destroy();
  });
  // Read although it is empty: a caller that disconnects is noticed whatever its child does
  control.on('error', () => undefined).resume();
  control.once('close', () => {
    server.close();
    child?.kill();
  });
  listen(server, socket).once('listening', () => {
    writeNews(control, { socket });
  });
}

function listen(server: Server, name: string): Server {
  // Apps have another user
  return server.listen({ path: join(env.SANDBOX_FOLDER, name), readableAll: true, writableAll: true });
}

// Of a sandbox that was killed
for (const name of readdirSync(env.SANDBOX_FOLDER))
  if (name.endsWith('.sock')) rmSync(join(env.SANDBOX_FOLDER, name), { force: true });
for (const [program, of] of Object.entries(programs))
  listen(
    createServer((control) => serve(control, of)),
    basename(socketOf('', program as SandboxedProgram)),
  );
// For probes: a connection to the others is a process
listen(
  createServer((socket) => socket.on('error', () => undefined).end()),
  'health.sock',
);
process.on('uncaughtException', (error) => {
  log.fatal({ err: serializeError(error) }, 'The sandbox failed and ends');
  process.exit(1);
});
// Its callers end first; its children end with it
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
log.info({ folder: env.SANDBOX_FOLDER }, 'The sandbox takes orders');
