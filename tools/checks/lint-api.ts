import { createConfig, lintFromString } from '@redocly/openapi-core';
import core, { type RulesetDefinition } from '@stoplight/spectral-core';
import rulesets from '@stoplight/spectral-rulesets';
import { exampleBaseUrl, operations, resources } from '#contracts';
import { openApi } from '../../apps/gateway/src/schema/openapi.js';

// Lints the OpenAPI document with the recommended rules of Redocly and Spectral. Warnings fail,
// too.
const document = openApi(
  { operations, resources },
  {
    baseUrl: exampleBaseUrl,
    dateTimeFormat: 'spec',
    materialPriceMax: 100_000,
    rateLimitOf: () => ({ limit: 300, periodSeconds: 900 }),
  },
);
const source = JSON.stringify(document);
const config = await createConfig({ extends: ['recommended'] });
const ofRedocly = await lintFromString({ source, absoluteRef: 'openapi.json', config });
const spectral = new core.Spectral();
spectral.setRuleset({ extends: [[rulesets.oas as RulesetDefinition, 'recommended']] });
const ofSpectral = await spectral.run(source);
const findings = [
  ...ofRedocly.map(({ ruleId, message, location }) => `redocly ${ruleId}: ${message} (${location[0]?.pointer ?? '#'})`),
  ...ofSpectral.map(({ code, message, path }) => `spectral ${code}: ${message} (#/${path.join('/')})`),
];
process.stdout.write(findings.map((finding) => `${finding}\n`).join(''));
process.stdout.write(`The OpenAPI document: ${findings.length} findings of Redocly and Spectral.\n`);
process.exitCode = findings.length > 0 ? 1 : 0;
