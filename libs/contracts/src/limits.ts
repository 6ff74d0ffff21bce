/** Limits of requests that are not part of a pattern. */
export const limits = {
  choiceProducts: 500,
  choicesPerUser: 1_000,
} as const;
