import { CreateWebhooks } from './20261124T165920-create-webhooks.js';
import { AppendBatches } from './20261127T090000-append-batches.js';
import { AddNoSecret } from './20261127T153000-add-no-secret.js';
import { StoreLogEnd } from './20261127T160000-store-log-end.js';
import { ClaimPerUser } from './20261127T170000-claim-per-user.js';

export const migrations = [CreateWebhooks, AppendBatches, AddNoSecret, StoreLogEnd, ClaimPerUser];
