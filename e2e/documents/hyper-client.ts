/** A method of a client that heroics, a Ruby gem, generates: `client.product.info(12)`. */
interface ClientMethod {
  readonly resource: string;
  readonly name: string;
  readonly method: string;
  /** Parameters of the path in order: `choice.id`. */
  readonly parameters: readonly string[];
  /** Returns the address with values for its parameters. */
  readonly address: (values: readonly (string | number)[]) => string;
}

interface Link {
  readonly href: string;
  readonly title: string;
  readonly method: string;
}

/** Parts of a hyper-schema that are used here. */
interface HyperSchema {
  readonly properties: Readonly<Record<string, unknown>>;
  readonly definitions: Readonly<Record<string, { readonly links?: readonly Link[] } | undefined>>;
}

const parameter = /\{\(([%/a-zA-Z0-9_-]*)\)\}/g;

/**
 * Returns the methods that heroics generates from a hyper-schema: resources are the properties of
 * the root, a method has the title of its link in lower snake case, unique per resource, and every
 * parameter points to a definition.
 *
 * @throws Error where heroics would fail
 */
export function methodsOfClient(schema: HyperSchema): ClientMethod[] {
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

function methodOf(schema: HyperSchema, resource: string, link: Link): ClientMethod {
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
  if (found === undefined) throw new Error(`${pointer} has no target`);
}
