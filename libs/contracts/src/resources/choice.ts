import { z } from 'zod';
import { field } from '../field.js';
import { UserSummary } from './user.js';

/** A user's list of products. */
export const Choice = z.object({
  id: field(z.int(), 'unique id', 1),
  title: field(z.string(), 'title', 'For the summer'),
  description: field(z.string().nullable(), 'description', 'Light things.'),
  secret: field(z.boolean(), 'private flag: true hides the choice from everybody but its owner', false),
  bannerUrl: field(
    z.string().nullable().meta({ format: 'uri' }),
    'banner image URL of the choice page',
    'https://example.com/banner.png',
  ),
  productsCount: field(
    z.int(),
    'number of entries, pairs of a product and a variant, whose product the asking user may see',
    3,
  ),
  user: UserSummary.meta({ description: 'owner of the choice' }),
});
export type Choice = z.output<typeof Choice>;
