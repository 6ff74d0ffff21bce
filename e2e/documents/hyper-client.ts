/** One method of a client that heroics generates: `client.product.info(12)`. */
interface Generated {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  /** The resources and attributes whose values the address needs, in order: `choice.id`. */
  readonly parameters: readonly string[];
  /** The address with its parameters filled in. */
  readonly address: (values: readonly (string | number)[]) => string;
}

interface Link {
  readonly href: string;
  readonly title: string;
  readonly method: string;
}

/** What is read of a hyper-schema. */
interface HyperSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, { readonly links?: readonly Link[] } | undefined>>;
}

const parameter = /\{\(([%/a-zA-Z0-9_-]*)\)\}/g;

/**
 * The methods that heroics makes of a hyper-schema, by its rules: resources are the properties of the root, a method is
 * called as its link in lower snake case, once per resource, and every parameter points to a definition.
 *
 * @throws Error where heroics would end
 */
export function generate(schema: HyperSchema): Generated[] {
  return Object.keys(schema.properties).flatMap((resource) => {
    const { links } = schema.definitions[resource] ?? {};
    if (!links) throw new Error(`${resource} has no definition with links`);
    const methods = links.map((link) => methodOf(schema, resource, link));
    const names = methods.map(({ name }) => name);
    const doubled = names.find((name, index) => names.indexOf(name) !== index);
    if (doubled !== undefined) throw new Error(`${resource} has two methods ${doubled}`);
    return methods;
  });
}

function methodOf(schema: HyperSchema, resource: string, link: Link): Generated {
  const pointers = [...link.href.matchAll(parameter)].map(([, pointer]) => decodeURIComponent(pointer!));
  for (const pointer of pointers) resolve(schema, pointer);
  return {
    resource,
    name: link.title.toLowerCase().replaceAll(/\W+/g, '_'),
    method: link.method,
    parameters: pointers.map((pointer) => pointer.replace('#/definitions/', '').replace('/definitions/', '.')),
    address: (values) => {
      const rest = [...values];
      return link.href.replaceAll(parameter, () => String(rest.shift()));
    },
  };
}

function resolve(schema: HyperSchema, pointer: string): void {
  const found = pointer
    .replace('#/', '')
    .split('/')
    .reduce<unknown>((at, key) => (at as Readonly<Record<string, unknown>> | undefined)?.[key], schema);
  if (found === undefined) throw new Error(`${pointer} points to nothing`);
}
