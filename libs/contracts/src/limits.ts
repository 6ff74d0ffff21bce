/**
 * The bounds of requests that are not part of a pattern. An operator may set those that are not read-only: the gateway
 * does so once, at its start, before it answers or publishes anything.
 */
export const limits: {
  materialPriceMaximum: number;
  readonly choiceProducts: number;
  readonly choicesPerUser: number;
} = {
  materialPriceMaximum: 100_000,
  choiceProducts: 500,
  choicesPerUser: 1_000,
};
