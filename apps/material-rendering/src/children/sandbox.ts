import { randomUUID } from 'node:crypto';
import { readdirSync, rmSync } from 'node:fs';
import { createServer, type Server, type Socket } from 'node:net';
import { basename, join } from 'node:path';
import { readEnvironmentOrExit } from '#config';
import { createLog, serializeError } from '#observability';
import { type ChildProgram, type ConnectedChild, startConnectedChild } from '#children/child-process.js';
import { decodeProgram, renderTextProgram } from './child-programs.js';
import { SandboxEnv } from './sandbox-env.js';
import { type SandboxedProgram, socketOf, writeStatus } from './sandbox-child.js';
import { configureFonts, type FontConfiguration } from '../texts/font.files.js';

/**
 * Sandbox: runs the child processes that open data of clients, in a separate container without
 * secrets and without volumes (except the folder of its sockets), and in Compose without network. A
 * caller opens a control connection and receives the name of a new socket. Its connection to that
 * socket starts a child, which inherits this connection, so neither tasks nor replies pass through
 * this process. The end of the control connection ends the child, and the end of the child ends the
 * control connection.
 */
const env = readEnvironmentOrExit(SandboxEnv);
const log = createLog({ app: 'sandbox', level: env.LOG_LEVEL, format: env.LOG_FORMAT });

let fonts: FontConfiguration | undefined;
function renderTextProgramWithFonts(): ChildProgram {
  if (fonts?.isComplete() !== true) fonts = configureFonts();
  return { ...renderTextProgram, env: { FONTCONFIG_FILE: fonts.file } };
}

const programs: Readonly<Record<SandboxedProgram, () => ChildProgram>> = {
  decode: () => decodeProgram,
  'render-text': renderTextProgramWithFonts,
};

function serve(control: Socket, program: () => ChildProgram): void {
  const socket = `${randomUUID()}.sock`;
  let child: ConnectedChild | undefined;
  const server = createServer({ pauseOnConnect: true }, (connection) => {
    server.close();
    try {
      child = startConnectedChild(program(), connection, log);
    } catch (error) {
      log.error({ err: serializeError(error) }, 'Start of a child process failed, closing its connections');
      connection.destroy();
      control.destroy();
      return;
    }
    void child.ended.then((ended) => {
      writeStatus(control, { ended });
      control.end();
    });
  });
  // Emitted also when accept() has no free descriptor. Only this child fails, and the sandbox
  // continues
  server.on('error', (error) => {
    log.error({ err: serializeError(error) }, 'Socket of a child process failed, closing its control connection');
    control.destroy();
  });
  // The caller sends nothing on the control connection. The connection is read so that a disconnect
  // is noticed in every state of the child
  control.on('error', () => undefined).resume();
  control.once('close', () => {
    server.close();
    child?.kill();
  });
  listen(server, socket).once('listening', () => {
    writeStatus(control, { socket });
  });
}

function listen(server: Server, name: string): Server {
  // The apps run as another user
  return server.listen({ path: join(env.SANDBOX_FOLDER, name), readableAll: true, writableAll: true });
}

// Removes sockets of a sandbox that was killed
for (const name of readdirSync(env.SANDBOX_FOLDER))
  if (name.endsWith('.sock')) rmSync(join(env.SANDBOX_FOLDER, name), { force: true });
for (const [name, program] of Object.entries(programs))
  listen(
    createServer((control) => serve(control, program)),
    basename(socketOf('', name as SandboxedProgram)),
  );
// Socket for probes: a connection to any other socket requests a child
listen(
  createServer((socket) => socket.on('error', () => undefined).end()),
  'health.sock',
);
process.on('uncaughtException', (error) => {
  log.fatal({ err: serializeError(error) }, 'Uncaught exception, the sandbox exits');
  process.exit(1);
});
// Exits immediately: the callers end before the sandbox, and its children end with it
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => process.exit(0));
log.info({ folder: env.SANDBOX_FOLDER }, 'Sandbox listening');
