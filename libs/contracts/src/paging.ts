/**
 * Header of a service's reply with the offset of the next page. The gateway replaces it by
 * `Link: <...>; rel="next"`; clients never receive it.
 */
export const nextOffsetHeader = 'x-next-offset';
