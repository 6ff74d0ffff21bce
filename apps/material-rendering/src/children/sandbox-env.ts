import { z } from 'zod';
import { logSettings } from '#config';

export const sandboxFolder = z
  .string()
  .startsWith('/')
  .meta({ kind: 'absolute path' })
  .describe(
    'Folder with the sockets of the sandbox, where images and texts of clients are opened. Without it an app does so in child processes of its own',
  );

/** What the sandbox reads: no secret. */
export const SandboxEnv = logSettings.extend({ SANDBOX_FOLDER: sandboxFolder });
