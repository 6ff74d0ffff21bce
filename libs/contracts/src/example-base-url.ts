/** The address of the installation in examples. It is nobody's: each published document names its own instead. */
export const exampleBaseUrl = 'https://storefront.example';
