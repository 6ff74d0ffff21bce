// npm start: installs packages and compiles, if anything has changed, and starts the stack. Plain
// JavaScript without packages.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, forwardSignals, requireNode, root } from './build/bootstrap.mjs';

requireNode();
// Before the installation, which the help need not wait for
if (process.argv.includes('--help')) {
  process.stdout.write(readFileSync(join(root, 'tools/dev-stack/terminal/help.txt')));
  process.exit(0);
}
await install();
await build();

// A separate session: Ctrl-C reaches the stack once, through this process. If this process is
// killed, the IPC channel closes and the stack stops.
const stack = fork(join(root, 'dist/programs/stack.js'), process.argv.slice(2), {
  detached: true,
  stdio: 'inherit',
  // The supervisor is idle most of the time and needs no young generation of 48 MB
  execArgv: ['--max-semi-space-size=1'],
});
forwardSignals(stack, true);
stack.once('exit', (code) => process.exit(code ?? 1));
