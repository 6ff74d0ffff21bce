// Where each figure comes from stands in docs/operations.md, in the table of what was measured.

/** Microseconds of the processor, of each part. */
export interface Cost {
  readonly gateway: number;
  readonly catalog?: number;
  readonly social?: number;
  readonly activity?: number;
  readonly rendering?: number;
  readonly requestsRedis?: number;
  readonly jobsRedis?: number;
  readonly postgres?: number;
}

/**
 * `npm run bench:parts` ran beside much other work: its list that is kept cost the gateway 510 us, and 387 in
 * docs/performance.md. What only it has measured is taken at that rate.
 */
const beside = 387 / 510;
const atRest = (cost: Cost): Cost =>
  Object.fromEntries(
    Object.entries(cost).map(([part, us]) => [part, Math.round((us as number) * beside)]),
  ) as unknown as Cost;

const kept: Cost = { gateway: 387, catalog: 235, requestsRedis: 39, postgres: 67 };

export const measured = {
  kept,
  /** Beside each other both cost the same: 568 and 510 us of the gateway, 278 and 322 of catalog. What is saved are bytes. */
  notModified: kept,
  /** `pages` with a hundred changes a second. */
  anew: { gateway: 456, catalog: 883, requestsRedis: 71, postgres: 475 },
  own: { gateway: 319, catalog: 436, requestsRedis: 52, postgres: 194 },
  /** Of 780 us of services, social and activity in the parts that `bench:parts` saw: 1,216 and 408. */
  favorite: { gateway: 851, social: 584, activity: 196, requestsRedis: 54, jobsRedis: 108, postgres: 595 },
  /** With all its pictures; of the answer itself docs/performance.md has the rest. */
  material: {
    ...atRest({
      gateway: 25_000,
      catalog: 25_625,
      rendering: 1_013_750 + 131_250,
      requestsRedis: 18_750,
      jobsRedis: 26_875,
    }),
    postgres: 4_348,
  },
  picture: atRest({ gateway: 670 }),
  drawing: atRest({
    gateway: 2_692,
    catalog: 3_154,
    rendering: 40_923 + 16_846,
    requestsRedis: 1_923,
    postgres: 2_462,
  }),
  listBytes: 58_100,
  ownBytes: 6_900,
  pictureBytes: 915_514 / 81,
  productsPerMaterial: 5,
  blobsPerMaterial: 81,
  blobBytesPerMaterial: 915_514,
  productBytes: 678,
  materialBytes: 389,
  favoriteBytes: 388,
  activityBytes: 374,
  favoriteLog: 3_782,
  materialLog: 14_957,
  memoryMb: { gateway: 262, accounts: 124, catalog: 161, social: 120, activity: 117, rendering: 460 },
} as const;
