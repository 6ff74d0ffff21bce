/** Maximum number of products in a choice, and of choices and webhook endpoints of a user. */
export const limits = {
  choiceProducts: 500,
  choicesPerUser: 1_000,
  webhookEndpointsPerUser: 20,
} as const;
