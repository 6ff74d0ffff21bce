import { readFileSync, writeFileSync } from 'node:fs';
import openapiTS, { astToString } from 'openapi-typescript';
import { projectPath } from '#config';
import { openApiText } from './testing/published.js';

const file = projectPath('docs/clients/openapi.d.ts');

const header = `// Made by openapi-typescript of the OpenAPI document; how to make it again stands in docs/clients.md.
`;

/** Examples are half of the document, and nothing of its types. */
const withoutExamples = (key: string, value: unknown): unknown =>
  key === 'example' || key === 'examples' ? undefined : value;

it('docs/clients/openapi.d.ts has the types of the published document', async () => {
  const document = JSON.parse(openApiText(), withoutExamples);
  const types = header + astToString(await openapiTS(document, { defaultNonNullable: false }));
  if (process.env.WRITE_CLIENT_TYPES) writeFileSync(file, types);
  if (readFileSync(file, 'utf8') !== types)
    throw new Error(
      'docs/clients/openapi.d.ts is not fresh: WRITE_CLIENT_TYPES=1 npm test -- apps/gateway/src/schema/client-types.spec.ts writes it',
    );
});
