// Converts an OpenAPI document to a Postman collection, sends all its requests, and prints the
// responses. A separate process, because jest cannot load the packages. Input as JSON: URL of the
// document and an API key.
import { text } from 'node:stream/consumers';
import { promisify } from 'node:util';
import newman from 'newman';
import converter from 'openapi-to-postmanv2';

const { url, key } = JSON.parse(await text(process.stdin));
const { output } = await promisify(converter.convertV2.bind(converter))(
  { type: 'string', data: await (await fetch(url)).text() },
  { parametersResolution: 'Example' },
);
const { item: folders, ...collection } = output[0].data;
const requestsOf = (entries) => entries.flatMap((it) => (it.item ? requestsOf(it.item) : [it]));
// Deletions are last
const isDelete = ({ request }) => Number(request.method === 'DELETE');
// The stream has no end
const item = requestsOf(folders)
  .filter(({ name }) => name !== 'Stream events')
  .sort((a, b) => isDelete(a) - isDelete(b));
for (const { request } of item) {
  // A new key for each request, as in docs/clients.md: the converter uses the same key for all
  for (const header of request.header) if (header.key === 'Idempotency-Key') header.value = '{{$guid}}';
}
const { run } = await promisify(newman.run.bind(newman))({
  collection: { ...collection, item },
  envVar: [{ key: 'bearerToken', value: key }],
});
const responses = run.executions.map(({ item: { name }, response, requestError }) => ({
  name,
  code: response?.code ?? String(requestError),
  text: response?.stream.toString().slice(0, 1_000),
}));
process.stdout.write(JSON.stringify(responses));
