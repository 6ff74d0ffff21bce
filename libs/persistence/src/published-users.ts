/** What `accounts` publishes of its users to whoever joins them, as pieces of statements. */

/** The id of the user who has exactly this name; names are found by an index on lower(name). */
export const userNamed = (name: string): string =>
  `(select id from accounts.users where lower(name) = lower(${name}) and name = ${name})`;

/**
 * Condition of rows whose user exists. The row of a deleted user is missing as soon as the deletion commits; what other
 * services store of the user goes later, event by event. A page is cut behind this condition: a join after the cut would
 * leave gaps. @param id a column or parameter
 */
export const userExists = (id: string): string => `exists (select from accounts.users owner where owner.id = ${id})`;

/**
 * The same for each row of a long walk, by the ids of users deleted in the last 7 days: a hash of a few ids instead of a
 * look-up for each owner. Of 100,000 products that a page skips it takes 10 ms instead of 55 ms; `not exists` would be planned
 * as a join that walks in another order.
 */
export const userNotDeleted = (id: string): string => `${id} not in (select user_id from accounts.deleted_users)`;

/**
 * What everybody sees of a user: the members of a `json_build_object`, those of User (docs/specification.md 2.2) but the e-mail
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
