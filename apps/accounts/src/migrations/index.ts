import { CreateAccounts } from './20261120T100000-create-accounts.js';

export const migrations = [CreateAccounts];
