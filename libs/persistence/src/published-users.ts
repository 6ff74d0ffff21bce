/** SQL fragments that read columns of the schema `accounts` that other services may read. */

/** Subquery for the id of the user with exactly this name. The index is on lower(name). */
export const userNamed = (name: string): string =>
  `(select id from accounts.users where lower(name) = lower(${name}) and name = ${name})`;

/**
 * Condition for rows whose user exists. The row of a deleted user is missing as soon as the
 * deletion commits; other services delete their rows later, by events. Apply the limit of a page
 * after this condition: a join after the limit would shorten the page.
 *
 * @param id a column or parameter
 */
export const userExists = (id: string): string => `exists (select from accounts.users owner where owner.id = ${id})`;

/**
 * The same condition for scans of many rows, with the ids of users deleted in the last 7 days: a
 * hash of a few ids instead of a lookup for each owner. For 100,000 products that a page skips it
 * takes 10 ms instead of 55 ms. `not exists` would be planned as a join in another order.
 */
export const userNotDeleted = (id: string): string => `${id} not in (select user_id from accounts.deleted_users)`;

/**
 * Public members of a user, for a `json_build_object`: those of User (docs/specification.md 2.2)
 * without e-mail addresses. Some providers use an e-mail address as the `uid` of an identity; such
 * a `uid` is null.
 *
 * @param u alias of the row
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

/** SQL of a UserSummary as JSON. @param u alias of the row */
export const userSummary = (u: string): string =>
  `json_build_object('id', ${u}.id, 'name', ${u}.name, 'displayName', ${u}.display_name, 'avatarUrl', ${u}.avatar_url)`;
