import { CreateSocial } from './20261120T100020-create-social.js';
import { CreateChoices } from './20261121T090000-create-choices.js';
import { CreateIdempotencyKeys } from './20261121T090100-create-idempotency-keys.js';
import { ListFavorites } from './20261121T090200-list-favorites.js';

export const migrations = [CreateSocial, CreateChoices, CreateIdempotencyKeys, ListFavorites];
