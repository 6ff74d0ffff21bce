/**
 * Returns the fields of `wanted` whose value differs from `now`, except undefined ones. Compares
 * with `!==`, so values must be primitive.
 */
export function difference<T extends object>(
  now: T,
  wanted: { readonly [Key in keyof T]?: T[Key] | undefined },
): Partial<T> {
  const changed = (Object.keys(wanted) as (keyof T)[]).filter(
    (key) => wanted[key] !== undefined && wanted[key] !== now[key],
  );
  return Object.fromEntries(changed.map((key) => [key, wanted[key]])) as Partial<T>;
}
