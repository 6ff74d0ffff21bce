import { z } from 'zod';
import { field } from '../field.js';

const displayName = () => field(z.string().nullable(), 'name shown on pages', 'Hanako');
const avatarUrl = () => field(z.string().nullable(), 'avatar image URL', 'https://example.com/avatars/1.png');

/** A user as embedded in materials, choices and favorites. */
export const UserSummary = z.object({
  id: field(z.int(), 'unique user id', 1),
  name: field(z.string(), 'unique user name', 'hanako'),
  displayName: displayName(),
  avatarUrl: avatarUrl(),
});
export type UserSummary = z.output<typeof UserSummary>;

export const Identity = z.object({
  id: field(z.int(), 'unique id', 1),
  provider: field(z.string(), 'name of the linked external service', 'example'),
  uid: field(z.string().nullable(), 'user id on that service', '2326290218'),
  nickname: field(z.string().nullable(), 'user name on that service', 'hanako'),
  url: field(z.string().nullable(), 'user page URL on that service', 'https://example.com/hanako'),
});
export type Identity = z.output<typeof Identity>;

/** What a user tells of themselves. */
export const Profile = z.object({
  url: field(z.string().nullable(), "the user's home page URL", 'https://example.com'),
  body: field(z.string().nullable(), 'profile text', 'I draw cats.'),
  headerUrl: field(z.string().nullable(), 'header image URL of the profile page', null),
});
export type Profile = z.output<typeof Profile>;

export const User = z.object({
  id: field(z.int(), 'unique id', 1),
  name: field(z.string(), 'unique name', 'hanako'),
  displayName: displayName(),
  avatarUrl: avatarUrl(),
  profile: Profile.meta({ description: 'what the user tells of themselves' }),
  identities: z.array(Identity).meta({ description: 'external services used by the user to authenticate' }),
  official: field(z.boolean(), 'official-user flag', false),
});
export type User = z.output<typeof User>;

/** The user of the token: the only answer that holds the e-mail address. */
export const SelfUser = User.extend({ email: field(z.string(), 'e-mail address', 'hanako@example.com') });
export type SelfUser = z.output<typeof SelfUser>;
