/** Limits of an icon. Those that ship have at most 12 elements, 4 levels and 4 references. */
const maxElements = 500;
const maxDepth = 16;
const maxReferences = 32;

interface Element {
  readonly name: string;
  readonly id: string | undefined;
  /** Ids that its attributes refer to. */
  readonly targets: readonly string[];
  readonly hasFilter: boolean;
  /** The element and those that contain it. */
  readonly path: readonly Element[];
}

/** A tag up to `>`, which values of attributes may contain. */
const tag = /<(\/?)([^\s<>/"'=]+)((?:\s(?:"[^"<]*"|'[^'<]*'|[^"'<>/])*)?)(\/?)>/y;
const attribute = /([^\s="']{1,64})\s*=\s*(?:"([^"]*)"|'([^']*)')/g;

function elementOf(name: string, attributes: string, parents: readonly Element[]): Element {
  const values = [...attributes.matchAll(attribute)].map(
    ([, key, double, single]) => [key!, (double ?? single)!] as const,
  );
  const targets = values.flatMap(([key, value]) =>
    /^(?:xlink:)?href$/.test(key)
      ? [value.slice(1)]
      : Array.from(value.matchAll(/url\(\s*["']?#([^"')]*)/gi), ([, target]) => target!.trim()),
  );
  const path: Element[] = [];
  const element = {
    name,
    id: values.find(([key]) => key === 'id')?.[1],
    targets,
    hasFilter: values.some(([key, value]) => key === 'filter' || (key === 'style' && /filter/i.test(value))),
    path,
  };
  path.push(element, ...parents);
  return element;
}

/** Returns the elements in the order of the file; undefined after a mistake of the markup. */
function elementsOf(drawing: string): Element[] | undefined {
  const elements: Element[] = [];
  let open: readonly Element[] = [];
  for (let at = drawing.indexOf('<'); at >= 0; at = drawing.indexOf('<', tag.lastIndex)) {
    tag.lastIndex = at;
    const [, end, name, attributes, empty] = tag.exec(drawing) ?? [];
    if (name === undefined) return undefined;
    if (end) open = open.slice(1);
    else {
      const element = elementOf(name, attributes!, open);
      elements.push(element);
      if (element.path.length > maxDepth || elements.length > maxElements) return elements;
      if (!empty) open = element.path;
    }
  }
  return elements;
}

/**
 * Returns why the structure of an icon is rejected; null for an accepted one. An element that is
 * referred to may refer to gradients only, because with references in references a file of 1 KB has
 * millions of shapes. Browsers draw icons too, without a limit of time.
 *
 * @param drawing without comments, entities and escapes
 */
export function structureDefect(drawing: string): string | null {
  const elements = elementsOf(drawing);
  if (!elements) return 'is not well-formed XML';
  if (elements.length > maxElements) return `has more than ${maxElements} elements`;
  if (elements.some(({ path }) => path.length > maxDepth)) return `has more than ${maxDepth} levels of elements`;
  if (elements.some(({ hasFilter }) => hasFilter)) return 'must not have filters';
  const isGradient = (id: string): boolean => {
    const named = elements.filter((it) => it.id === id);
    return named.length > 0 && named.every(({ name }) => /^(?:linear|radial)Gradient$/.test(name));
  };
  const targets = new Set(elements.flatMap((it) => it.targets));
  const gradients = new Set([...targets].filter(isGradient));
  const references = elements.flatMap(({ targets: ids, path }) =>
    ids.filter((id) => !gradients.has(id)).map((id) => ({ id, path })),
  );
  if (references.length > maxReferences) return `has more than ${maxReferences} references`;
  for (const { id, path } of references) {
    const outer = path.find((it) => it.id !== undefined && targets.has(it.id))?.id;
    if (outer !== undefined)
      return `must not refer to ${id.slice(0, 40)} within ${outer.slice(0, 40)}, which is referred to`;
  }
  return null;
}
