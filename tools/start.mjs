// npm start: installs what is missing, compiles what has changed, and starts the stack. Plain JavaScript without packages.
import { fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { build, install, passOnEnd, requireNode, root } from './build/bootstrap.mjs';

requireNode();
// Before anything is installed: who asks wants to know first
if (process.argv.includes('--help')) {
  process.stdout.write(readFileSync(join(root, 'tools/dev-stack/terminal/help.txt')));
  process.exit(0);
}
await install();
await build();

// Its own session: of a Ctrl-C it hears through this process, once. When this process is killed the channel closes, and
// the stack stops.
const stack = fork(join(root, 'dist/programs/stack.js'), process.argv.slice(2), {
  detached: true,
  stdio: 'inherit',
  // It waits nearly always: young objects need not have 48 MB
  execArgv: ['--max-semi-space-size=1'],
});
passOnEnd(stack, true);
stack.once('exit', (code) => process.exit(code ?? 1));
