import type { Profiler } from 'node:inspector';

/** Time spent in a function or package. */
export interface TimeEntry {
  readonly where: string;
  /** Milliseconds without (self) and with called functions (total). */
  readonly selfMs: number;
  readonly totalMs: number;
}

interface Summary {
  readonly busyMs: number;
  readonly idleMs: number;
  /** Functions by self time, descending. */
  readonly functions: readonly TimeEntry[];
  /** Packages and project folders by self time, descending. */
  readonly packages: readonly TimeEntry[];
}

const isIdle = ({ callFrame }: Profiler.ProfileNode): boolean => callFrame.functionName === '(idle)';
/** Returns whether a node belongs to the profiler. */
const isOfProfiler = ({ callFrame }: Profiler.ProfileNode): boolean => callFrame.url === 'node:inspector';

/** Summarizes a V8 profile. Recursive calls are counted once in total time. */
export function summaryOf({ nodes, samples = [], timeDeltas = [] }: Profiler.Profile): Summary {
  const own = new Map<number, number>();
  for (const [at, id] of samples.entries()) own.set(id, (own.get(id) ?? 0) + (timeDeltas[at] ?? 0) / 1_000);
  const [functions, packages] = [new TimeTotals(), new TimeTotals()];
  const byId = new Map(nodes.map((node) => [node.id, node]));
  let idleMs = 0;
  const visit = (id: number, above: ReadonlySet<string>): number => {
    const node = byId.get(id)!;
    const selfMs = own.get(id) ?? 0;
    const [name, group] = [nameOf(node), groupOf(node)];
    if (isOfProfiler(node)) return 0;
    if (isIdle(node)) {
      idleMs += selfMs;
      return 0;
    }
    const here = new Set([...above, name, group]);
    const totalMs = selfMs + (node.children ?? []).reduce((sum, child) => sum + visit(child, here), 0);
    functions.add(name, selfMs, above.has(name) ? 0 : totalMs);
    packages.add(group, selfMs, above.has(group) ? 0 : totalMs);
    return totalMs;
  };
  const busyMs = visit(nodes[0]!.id, new Set());
  return { busyMs, idleMs, functions: functions.sorted(), packages: packages.sorted() };
}

class TimeTotals {
  private readonly found = new Map<string, { selfMs: number; totalMs: number }>();

  add(where: string, selfMs: number, totalMs: number): void {
    const known = this.found.get(where) ?? { selfMs: 0, totalMs: 0 };
    this.found.set(where, { selfMs: known.selfMs + selfMs, totalMs: known.totalMs + totalMs });
  }

  sorted(): TimeEntry[] {
    const all = [...this.found].map(([where, times]) => ({ where, ...times }));
    return all.sort((one, other) => other.selfMs - one.selfMs);
  }
}

/**
 * Returns the group of a node: a package (`pg`), a folder of the project (`libs/request-queue`), a
 * module of Node.js (`node:net`), or a V8 category such as `(garbage collector)`.
 */
function groupOf({ callFrame: { url, functionName } }: Profiler.ProfileNode): string {
  const found = /node_modules\/((?:@[^/]+\/)?[^/]+)|dist\/((?:apps|libs)\/[^/]+)/.exec(url);
  if (found) return found[1] ?? found[2]!;
  return url === '' ? functionName || '(native)' : url;
}

function nameOf({ callFrame: { url, functionName, lineNumber } }: Profiler.ProfileNode): string {
  const file = url.replace(/^.*\/(?:node_modules|dist)\//, '');
  return url === '' ? functionName || '(native)' : `${functionName || '(anonymous)'} ${file}:${lineNumber + 1}`;
}
