import { z } from 'zod';
import { field } from '../field.js';

const displayName = () => field(z.string().nullable(), 'Display name.', 'Hanako');
const avatarUrl = () => field(z.string().nullable(), 'URL of the avatar image.', 'https://example.com/avatars/1.png');

/** A user as embedded in materials, choices and favorites. */
export const UserSummary = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Unique user name.', 'hanako'),
  displayName: displayName(),
  avatarUrl: avatarUrl(),
});
export type UserSummary = z.output<typeof UserSummary>;

export const Identity = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  provider: field(z.string(), 'Name of the external service.', 'example'),
  uid: field(z.string().nullable(), 'User identifier at the external service.', '2326290218'),
  nickname: field(z.string().nullable(), 'User name at the external service.', 'hanako'),
  url: field(z.string().nullable(), 'URL of the user page at the external service.', 'https://example.com/hanako'),
});
export type Identity = z.output<typeof Identity>;

/** The public profile of a user. */
export const Profile = z.object({
  url: field(z.string().nullable(), 'URL of the home page of the user.', 'https://example.com'),
  body: field(z.string().nullable(), 'Text of the profile.', 'I draw cats.'),
  headerUrl: field(z.string().nullable(), 'URL of the header image of the profile page.', null),
});
export type Profile = z.output<typeof Profile>;

export const User = z.object({
  id: field(z.int(), 'Unique identifier.', 1),
  name: field(z.string(), 'Unique user name.', 'hanako'),
  displayName: displayName(),
  avatarUrl: avatarUrl(),
  profile: Profile.meta({ description: 'Public profile of the user.' }),
  identities: z.array(Identity).meta({ description: 'External accounts with which the user signs in.' }),
  official: field(z.boolean(), 'True for official users of the shop.', false),
});
export type User = z.output<typeof User>;

/** The user of the access token. No other response contains an email address. */
export const CurrentUser = User.extend({ email: field(z.string(), 'Email address.', 'hanako@example.com') });
export type CurrentUser = z.output<typeof CurrentUser>;
