/**
 * The header with which a service tells the edge where the next page of a list begins. The edge turns it into
 * `Link: <...>; rel="next"`; clients never see it.
 */
export const nextOffsetHeader = 'x-next-offset';
