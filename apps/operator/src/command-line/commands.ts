import type { Commands } from './command.js';
import { app } from '../commands/app.js';
import { backup } from '../commands/backup.js';
import { banner } from '../commands/banner.js';
import { blank } from '../commands/blank.js';
import { catalog } from '../commands/catalog.js';
import { database } from '../commands/database.js';
import { event } from '../commands/event.js';
import { events } from '../commands/events.js';
import { material } from '../commands/material.js';
import { production } from '../commands/production.js';
import { promotion } from '../commands/promotion.js';
import { sale } from '../commands/sale.js';
import { token } from '../commands/token.js';
import { user } from '../commands/user.js';
import { verify } from '../commands/verify.js';

/**
 * All commands by noun and verb, also the source of `--help`. A command without a verb has the verb
 * ''.
 */
export const commands: Readonly<Record<string, Commands>> = {
  user,
  token,
  app,
  catalog,
  blank,
  material,
  sale,
  production,
  banner,
  promotion,
  event,
  events,
  verify,
  backup,
  database,
};
