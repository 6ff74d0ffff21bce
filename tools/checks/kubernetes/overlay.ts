import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse, parseAllDocuments } from 'yaml';

/** A manifest. Untyped, because tests check its fields. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any -- Kubernetes validates schemas
export type Manifest = Record<string, any> & {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels?: Readonly<Record<string, string>> };
};

interface Generated {
  readonly name: string;
  readonly literals?: readonly string[];
  readonly files?: readonly string[];
}

interface Patch {
  readonly path?: string;
  readonly patch?: string;
  readonly target?: { readonly kind: string; readonly name?: string; readonly labelSelector?: string };
}

interface Kustomization {
  readonly resources?: readonly string[];
  readonly patches?: readonly Patch[];
  readonly configMapGenerator?: readonly Generated[];
  readonly secretGenerator?: readonly Generated[];
}

/** Result of an overlay, without JSON patches, the namespace, hashes in names and image tags. */
interface Overlay {
  readonly objects: readonly Manifest[];
  /** Settings by ConfigMap. */
  readonly settings: ReadonlyMap<string, Readonly<Record<string, string>>>;
  /** Keys by Secret. */
  readonly secrets: ReadonlyMap<string, readonly string[]>;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * Returns the merge key of a list, as in the Kubernetes API; undefined if the list is replaced as a
 * whole.
 */
const mergeKey = (entry: unknown): string | undefined =>
  isObject(entry) ? ['mountPath', 'name', 'topologyKey'].find((key) => key in entry) : undefined;

/** Applies a strategic merge patch. */
function merged(old: unknown, patch: unknown): unknown {
  if (isObject(old) && isObject(patch)) {
    const both = { ...old };
    for (const [key, value] of Object.entries(patch)) both[key] = key in old ? merged(old[key], value) : value;
    return both;
  }
  const key = Array.isArray(patch) ? mergeKey(patch[0]) : undefined;
  if (!Array.isArray(old) || !Array.isArray(patch) || key === undefined) return patch;
  const rest = [...(patch as Record<string, unknown>[])];
  const list = (old as Record<string, unknown>[]).map((entry) => {
    const at = rest.findIndex((other) => other[key] === entry[key]);
    return at < 0 ? entry : merged(entry, rest.splice(at, 1)[0]);
  });
  return [...list, ...rest];
}

function isTarget({ kind, metadata }: Manifest, target: NonNullable<Patch['target']>): boolean {
  const [label = '', value] = target.labelSelector?.split('=') ?? [];
  if (label !== '' && metadata.labels?.[label] !== value) return false;
  return kind === target.kind && (target.name?.split('|') ?? ['.*']).some((name) => matches(name, metadata.name));
}

/** Matches a name with a pattern: a name, or a prefix followed by `.*`. */
const matches = (pattern: string, name: string): boolean =>
  pattern.endsWith('.*') ? name.startsWith(pattern.slice(0, -2)) : name === pattern;

function patched(objects: readonly Manifest[], patch: Patch, folder: string): readonly Manifest[] {
  const change: unknown = parse(patch.patch ?? readFileSync(join(folder, patch.path!), 'utf8'));
  // JSON patches are not applied, because no test reads what they change: CPU requests, and the TLS
  // arguments, probes and volumes of Redis
  if (!isObject(change)) return objects;
  const { kind, metadata, $patch, ...rest } = change as Manifest;
  const target = patch.target ?? { kind, name: metadata.name };
  if (!objects.some((object) => isTarget(object, target))) throw new Error(`A patch in ${folder} matches no object`);
  if ($patch === 'delete') return objects.filter((object) => !isTarget(object, target));
  return objects.map((object) => (isTarget(object, target) ? (merged(object, rest) as Manifest) : object));
}

const nameAndValue = (literal: string): [string, string] => {
  const at = literal.indexOf('=');
  return [literal.slice(0, at), literal.slice(at + 1)];
};

/** Builds an overlay or the base without kustomize, with the features that tests need. */
export function readOverlay(folder: string): Overlay {
  const file = parse(readFileSync(join(folder, 'kustomization.yaml'), 'utf8')) as Kustomization;
  const settings = new Map<string, Readonly<Record<string, string>>>();
  const secrets = new Map<string, readonly string[]>();
  let objects: readonly Manifest[] = [];
  for (const resource of file.resources ?? []) {
    const path = join(folder, resource);
    if (!path.endsWith('.yaml')) {
      const base = readOverlay(path);
      objects = [...objects, ...base.objects];
      for (const [name, values] of base.settings) settings.set(name, values);
      continue;
    }
    objects = [...objects, ...parseAllDocuments(readFileSync(path, 'utf8')).map((it) => it.toJS() as Manifest)];
  }
  for (const patch of file.patches ?? []) objects = patched(objects, patch, folder);
  for (const { name, literals = [] } of file.configMapGenerator ?? [])
    settings.set(name, { ...settings.get(name), ...Object.fromEntries(literals.map(nameAndValue)) });
  for (const { name, files = [] } of file.secretGenerator ?? [])
    secrets.set(
      name,
      files.map((entry) => nameAndValue(entry)[0]),
    );
  for (const { kind, metadata, spec } of objects)
    if (kind === 'ExternalSecret') secrets.set(metadata.name, externalKeys(spec as External));
  return { objects, settings, secrets };
}

interface External {
  readonly data: readonly { readonly secretKey: string }[];
  readonly target?: { readonly template?: { readonly data: object } };
}

const externalKeys = ({ data, target }: External): string[] =>
  target?.template ? Object.keys(target.template.data) : data.map(({ secretKey }) => secretKey);
