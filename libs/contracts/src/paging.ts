import { z } from 'zod';

/**
 * Header of a service's reply with the offset of the next page. The gateway replaces it by
 * `Link: <...>; rel="next"`; clients never receive it.
 */
export const nextOffsetHeader = 'x-next-offset';

/** Page parameters of lists for the operator. */
export const operatorPage = { limit: z.int().min(1).max(200), offset: z.int().min(0) };
