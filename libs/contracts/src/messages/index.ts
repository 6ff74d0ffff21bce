import type { ServiceName } from '../apps.mjs';
import { accountsMessages } from './accounts.js';
import { activityMessages } from './activity.js';
import { catalogMessages } from './catalog.js';
import { materialRenderingMessages } from './material-rendering.js';
import { socialMessages } from './social.js';
import { webhooksMessages } from './webhooks.js';

export * from './accounts.js';
export * from './activity.js';
export * from './applications.js';
export * from './catalog.js';
export * from './idempotency.js';
export * from './identities.js';
export * from './material-rendering.js';
export * from './oauth.js';
export * from './sessions.js';
export * from './social.js';
export * from './validation.js';
export * from './webhooks.js';

/** The messages of every service. */
export const services = {
  accounts: accountsMessages,
  catalog: catalogMessages,
  'material-rendering': materialRenderingMessages,
  social: socialMessages,
  activity: activityMessages,
  webhooks: webhooksMessages,
} as const satisfies Record<ServiceName, object>;
export type Services = typeof services;
