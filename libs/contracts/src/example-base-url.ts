/**
 * Placeholder for the base URL in examples. Published documents replace it by their own base URL.
 */
export const exampleBaseUrl = 'https://storefront.example';
