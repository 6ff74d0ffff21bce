import { CreateWebhooks } from './20261124T165920-create-webhooks.js';

export const migrations = [CreateWebhooks];
