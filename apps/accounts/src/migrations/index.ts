import { CreateAccounts } from './20261120T100000-create-accounts.js';
import { ListUsers } from './20261121T090200-list-users.js';
import { AddSessionsAndApplications } from './20261122T020000-add-sessions-and-applications.js';
import { FindTokens } from './20261122T020100-find-tokens.js';
import { ConstrainAccounts } from './20261123T011000-constrain-accounts.js';
import { MarkChanges } from './20261124T090000-mark-changes.js';
import { WakeRelaysInProcess } from './20261125T101000-wake-relays-in-process.js';
import { NameIssuers } from './20261126T130000-name-issuers.js';
import { NoteDeletedUsers } from './20261126T143000-note-deleted-users.js';
import { RenameDataVersions } from './20261127T100100-rename-data-versions.js';
import { AddMailLinks } from './20261127T101000-add-mail-links.js';
import { PublishConsents } from './20261127T110000-publish-consents.js';
import { CreateIdempotencyKeys } from './20261127T121500-create-idempotency-keys.js';
import { ScopeProduction } from './20261127T230000-scope-production.js';

export const migrations = [
  CreateAccounts,
  ListUsers,
  AddSessionsAndApplications,
  FindTokens,
  ConstrainAccounts,
  MarkChanges,
  WakeRelaysInProcess,
  NameIssuers,
  NoteDeletedUsers,
  RenameDataVersions,
  AddMailLinks,
  PublishConsents,
  CreateIdempotencyKeys,
  ScopeProduction,
];
