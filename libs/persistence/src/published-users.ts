/** What `accounts` publishes of its users to whoever joins them, as pieces of statements. */

/** The id of the user who has exactly this name; names are found by an index on lower(name). */
export const userNamed = (name: string): string =>
  `(select id from accounts.users where lower(name) = lower(${name}) and name = ${name})`;

/** A UserSummary as JSON. `u` names the row. */
export const userSummary = (u: string): string =>
  `json_build_object('id', ${u}.id, 'name', ${u}.name, 'displayName', ${u}.display_name, 'avatarUrl', ${u}.avatar_url)`;
