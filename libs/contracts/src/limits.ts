/** Maximum number of products in a choice, and of choices of a user. */
export const limits = {
  choiceProducts: 500,
  choicesPerUser: 1_000,
} as const;
