import { z } from 'zod';
import { field } from '../field.js';
import { UserSummary } from './user.js';

/** A user's list of products. */
export const Choice = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  title: field(z.string(), 'Title of the choice.', 'For the summer'),
  description: field(z.string().nullable(), 'Description of the choice.', 'Light things.'),
  secret: field(z.boolean(), 'True if only the owner can see the choice.', false),
  bannerUrl: field(
    z.string().nullable().meta({ format: 'uri' }),
    'URL of the banner image of the choice page.',
    'https://example.com/banner.png',
  ),
  productsCount: field(
    z.int(),
    'Number of entries whose product the current user may see. An entry is a pair of a product and a variant.',
    3,
  ),
  user: UserSummary.meta({ description: 'Owner of the choice.' }),
});
export type Choice = z.output<typeof Choice>;
