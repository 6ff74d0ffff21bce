import { CreateAccounts } from './20261120T100000-create-accounts.js';
import { ListUsers } from './20261121T090200-list-users.js';

export const migrations = [CreateAccounts, ListUsers];
