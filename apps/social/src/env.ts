import { serviceSettings } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings;
export type Env = z.output<typeof Env>;
