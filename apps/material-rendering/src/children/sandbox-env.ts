import { z } from 'zod';
import { logSettings } from '#config';

export const sandboxFolder = z
  .string()
  .startsWith('/')
  .meta({ kind: 'absolute path' })
  .describe(
    'Folder with the sockets of the sandbox, which opens images and texts of clients. Without it the app uses its own child processes',
  );

/** What the sandbox reads: no secret. */
export const SandboxEnv = logSettings.extend({ SANDBOX_FOLDER: sandboxFolder });
