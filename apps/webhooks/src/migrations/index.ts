import { CreateWebhooks } from './20261124T165920-create-webhooks.js';
import { AppendBatches } from './20261127T090000-append-batches.js';

export const migrations = [CreateWebhooks, AppendBatches];
