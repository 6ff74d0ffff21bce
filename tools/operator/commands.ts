import type { Commands } from './command.js';
import { app } from './commands/app.js';
import { banner } from './commands/banner.js';
import { catalog } from './commands/catalog.js';
import { material } from './commands/material.js';
import { promotion } from './commands/promotion.js';
import { sale } from './commands/sale.js';
import { token } from './commands/token.js';
import { user } from './commands/user.js';

/** All commands, by noun and verb: also the text of `--help`. */
export const commands: Readonly<Record<string, Commands>> = {
  user,
  token,
  app,
  catalog,
  material,
  sale,
  banner,
  promotion,
};
