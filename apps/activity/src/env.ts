import { dateTimeSettings, serviceSettings } from '#config';
import type { z } from 'zod';

export const Env = serviceSettings.extend(dateTimeSettings);
export type Env = z.output<typeof Env>;
