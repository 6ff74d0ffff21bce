import type { ResourceName } from '#contracts';

/** Resources whose path parameters have a shorter name. */
const shortened: Readonly<Record<string, ResourceName>> = {
  endpoint: 'webhook_endpoint',
  delivery: 'webhook_delivery',
};

/** Returns the resource that a path parameter such as `choiceId` identifies, in snake case. */
export function resourceOfParameter(parameter: string): string {
  const name = parameter.replace(/Id$/, '').replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  return shortened[name] ?? name;
}
