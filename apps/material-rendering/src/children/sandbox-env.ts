import { z } from 'zod';
import { logSettings } from '#config';

export const sandboxFolder = z
  .string()
  .startsWith('/')
  .meta({ kind: 'absolute path' })
  .describe(
    'Folder with the sockets of the sandbox, which decodes images and renders texts. Without it the app uses its own child processes',
  );

/** Settings of the sandbox. None of them is a secret. */
export const SandboxEnv = logSettings.extend({ SANDBOX_FOLDER: sandboxFolder });
