/** What a user changes of itself: what is absent stays, null empties. */
export interface UserChanges {
  readonly displayName?: string | null;
  readonly avatarUrl?: string | null;
  readonly profile?: {
    readonly url?: string | null;
    readonly body?: string | null;
    readonly headerUrl?: string | null;
  };
}

/** Whether a request to change leaves everything as it is, because nothing was sent. */
export const changesNothing = ({ displayName, avatarUrl, profile = {} }: UserChanges): boolean =>
  [displayName, avatarUrl, ...Object.values(profile)].every((value) => value === undefined);
