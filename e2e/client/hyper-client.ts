/** One method of a client that heroics generates: `client.product.info(12)`. */
export interface Generated {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  /** The resources and attributes whose values the address needs, in order: `choice.id`. */
  readonly parameters: readonly string[];
  /** The address with its parameters filled in. */
  readonly address: (values: readonly (string | number)[]) => string;
}

const parameter = /\{\(([%/a-zA-Z0-9_-]*)\)\}/g;

/**
 * The methods that heroics makes of a hyper-schema, by its rules: resources are the properties of the root, a method is
 * called as its link in lower snake case, once per resource, and every parameter points to a definition.
 *
 * @throws Error where heroics would end
 */
export function generate(schema: any): Generated[] {
  return Object.keys(schema.properties).flatMap((resource) => {
    const { links } = schema.definitions[resource] ?? {};
    if (!links) throw new Error(`${resource} has no definition with links`);
    const methods = (links as any[]).map((link) => methodOf(schema, resource, link));
    const names = methods.map(({ name }) => name);
    const doubled = names.find((name, index) => names.indexOf(name) !== index);
    if (doubled !== undefined) throw new Error(`${resource} has two methods ${doubled}`);
    return methods;
  });
}

function methodOf(schema: any, resource: string, link: any): Generated {
  const pointers = [...(link.href as string).matchAll(parameter)].map(([, pointer]) => decodeURIComponent(pointer!));
  for (const pointer of pointers) resolve(schema, pointer);
  return {
    resource,
    name: (link.title as string).toLowerCase().replaceAll(/\W+/g, '_'),
    method: link.method,
    parameters: pointers.map((pointer) => pointer.replace('#/definitions/', '').replace('/definitions/', '.')),
    address: (values) => {
      const rest = [...values];
      return (link.href as string).replaceAll(parameter, () => String(rest.shift()));
    },
  };
}

function resolve(schema: any, pointer: string): void {
  const found = pointer
    .replace('#/', '')
    .split('/')
    .reduce((at, key) => at?.[key], schema);
  if (found === undefined) throw new Error(`${pointer} points to nothing`);
}
