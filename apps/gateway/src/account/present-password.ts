import { z } from 'zod';
import { typedPassword } from '#contracts';
import type { Member } from '../pages/visit.js';

/** The field of a form that asks who has a password for it: null of those who only sign in through a provider. */
export const presentPassword = ({ hasPassword }: Member): z.ZodType<string | null> =>
  hasPassword ? typedPassword.min(1) : z.null().catch(null);
