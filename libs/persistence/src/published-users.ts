/** What `accounts` publishes of its users to whoever joins them, as pieces of statements. */

/** The id of the user who has exactly this name; names are found by an index on lower(name). */
export const userNamed = (name: string): string =>
  `(select id from accounts.users where lower(name) = lower(${name}) and name = ${name})`;

/**
 * What everybody sees of a user: the members of a `json_build_object`, those of User (specification 2.2) but the e-mail
 * address, which is also what some providers use as the id of a person. `u` names the row.
 */
export const userMembers = (u: string): string => `
  'id', ${u}.id, 'name', ${u}.name, 'displayName', ${u}.display_name, 'avatarUrl', ${u}.avatar_url,
  'profile', json_build_object(
    'url', ${u}.profile -> 'url', 'body', ${u}.profile -> 'body', 'headerUrl', ${u}.profile -> 'headerUrl'),
  'identities', (
    select coalesce(json_agg(json_build_object(
      'id', i.id, 'provider', i.provider, 'uid', case when i.uid not like '%@%' then i.uid end,
      'nickname', i.nickname, 'url', i.url) order by i.id), '[]')
    from accounts.identities i where i.user_id = ${u}.id),
  'official', ${u}.official`;

/** A UserSummary as JSON. `u` names the row. */
export const userSummary = (u: string): string =>
  `json_build_object('id', ${u}.id, 'name', ${u}.name, 'displayName', ${u}.display_name, 'avatarUrl', ${u}.avatar_url)`;
