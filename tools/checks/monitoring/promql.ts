import { parser } from '@prometheus-io/lezer-promql';

type Node = ReturnType<typeof parser.parse>['topNode'];

export interface Matcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** Time series that a query selects: `rq_queue_length{job="shop"}`. */
interface Selector {
  readonly metric: string;
  readonly matchers: readonly Matcher[];
}

/** Labels in `by`, `on` or `group_left`, and the metrics they apply to. */
interface Grouping {
  readonly labels: readonly string[];
  readonly metrics: readonly string[];
}

/** Names in a PromQL query. */
export interface Query {
  readonly selectors: readonly Selector[];
  readonly groupings: readonly Grouping[];
  /** Metrics in `rate`, `irate` or `increase`. */
  readonly rates: readonly string[];
}

/** Parses a PromQL query. @throws Error that quotes the text at a syntax error */
export function readQuery(text: string): Query {
  const { topNode } = parser.parse(text);
  const textOf = ({ from, to }: Node): string => text.slice(from, to);
  const wrong = nodesIn(topNode, ({ type }) => type.isError)[0];
  if (wrong) throw new Error(`Invalid query from "${text.slice(wrong.from, wrong.from + 30)}" on: ${text}`);

  const named = (node: Node, name: string): Node[] => nodesIn(node, ({ type }) => type.name === name);
  const textsIn = (node: Node, name: string): string[] => named(node, name).map(textOf);
  const matcherOf = (node: Node): Matcher => ({
    label: textsIn(node, 'LabelName')[0]!,
    operator: textsIn(node, 'MatchOp')[0]!,
    value: textsIn(node, 'StringLiteral')[0]!.slice(1, -1),
  });
  const metricsIn = (node: Node): string[] =>
    named(node, 'VectorSelector').map((it) => textOf(it.getChild('Identifier')!));
  return {
    selectors: named(topNode, 'VectorSelector').map((it) => ({
      metric: textOf(it.getChild('Identifier')!),
      matchers: named(it, 'UnquotedLabelMatcher').map(matcherOf),
    })),
    // A modifier is a child of the expression that it modifies
    groupings: named(topNode, 'GroupingLabels').map((it) => ({
      labels: textsIn(it, 'LabelName'),
      metrics: metricsIn(it.parent!.parent!),
    })),
    rates: named(topNode, 'FunctionCall')
      .filter((it) => /^(?:i?rate|increase)$/.test(textOf(it.getChild('FunctionIdentifier')!)))
      .flatMap(metricsIn),
  };
}

function nodesIn(node: Node, isWanted: (it: Node) => boolean): Node[] {
  const found: Node[] = [];
  node.cursor().iterate(({ node: it }) => {
    if (isWanted(it)) found.push(it);
  });
  return found;
}
