/** Changes of a user's profile: missing fields stay unchanged, null clears a field. */
export interface UserChanges {
  readonly displayName?: string | null;
  readonly avatarUrl?: string | null;
  readonly profile?: {
    readonly url?: string | null;
    readonly body?: string | null;
    readonly headerUrl?: string | null;
  };
}

/** Returns true when a request contains no field to change. */
export const isEmptyUpdate = ({ displayName, avatarUrl, profile = {} }: UserChanges): boolean =>
  [displayName, avatarUrl, ...Object.values(profile)].every((value) => value === undefined);
