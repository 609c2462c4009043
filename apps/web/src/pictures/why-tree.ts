import type { Explanation } from '@waymark/contract';
import type { State } from '../ui/StateBadge.tsx';

const STATES: Readonly<Record<string, readonly [State, string]>> = {
  COMPLIANT: ['compliant', 'Compliant'],
  'NON-COMPLIANT': ['non-compliant', 'Non-compliant'],
  MISSING: ['non-compliant', 'Missing'],
  INCOMPLETE: ['non-compliant', 'Incomplete'],
  WAIVED: ['waived', 'Waived'],
  'NOT-APPLICABLE': ['unknown', 'Does not apply'],
};

export function stateOfNode({ status }: Pick<Explanation, 'status'>): State {
  return STATES[status]?.[0] ?? 'unknown';
}

export function wordOfNode({ status }: Pick<Explanation, 'status'>): string {
  return STATES[status]?.[1] ?? 'Unknown';
}

/** Passing nodes can stay folded. Waived nodes pass too, but should be visible. */
export function isQuiet({ status }: Explanation): boolean {
  return status === 'COMPLIANT' || status === 'NOT-APPLICABLE';
}

/** Nodes that are not quiet, at all levels. */
export function onlyFailing(nodes: readonly Explanation[]): Explanation[] {
  return nodes.filter((node) => !isQuiet(node)).map((node) => ({ ...node, children: onlyFailing(node.children) }));
}

/** What passes beside a failure is one line until it is asked for; a single node is no longer than that line. */
export function withoutPassing(nodes: readonly Explanation[]): { shown: readonly Explanation[]; passing: number } {
  const shown = nodes.filter((node) => !isQuiet(node));
  const passing = nodes.length - shown.length;
  return shown.length === 0 || passing < 2 ? { shown: nodes, passing: 0 } : { shown, passing };
}

/** A rule whose only evidence has the same reason adds nothing, so only the evidence is shown. */
export function shownNode(node: Explanation): Explanation {
  const children = node.children.map(shownNode);
  const [only, ...others] = children;
  if (node.kind !== 'rule' || !only || others.length > 0 || only.because !== node.because) return { ...node, children };
  return { ...only, id: node.id, kind: node.kind, status: node.status };
}

/** The fixes of the deepest nodes, if there is no small set of actions. */
export function fixesIn(node: Explanation): string[] {
  const below = node.children.flatMap(fixesIn);
  if (below.length > 0 || node.fix === null || isQuiet(node)) return [...new Set(below)];
  return node.status === 'WAIVED' ? [] : [node.fix];
}

/** By fix: the failing evidence of a trail that can be overridden instead. */
export function overridableIn(node: Explanation): Map<string, string[]> {
  const { fix, found, children } = node;
  const below = children.flatMap((child) => [...overridableIn(child)]);
  const [first] = found;
  const own: [string, string[]][] =
    fix !== null && first?.kind === 'attestation' && / or override .* with a reason\.$/.test(fix)
      ? [[fix, [first.id]]]
      : [];
  const all = new Map<string, string[]>();
  for (const [key, ids] of [...own, ...below]) all.set(key, [...new Set([...(all.get(key) ?? []), ...ids])]);
  return all;
}

/** A row of the tree: a node, or the details of a leaf. */
export interface Row {
  readonly key: string;
  readonly node: Explanation;
  readonly part: 'head' | 'reasons';
  readonly rows: readonly Row[];
}

/** Keys are the paths of nodes, with a suffix for duplicates. */
export function rowsOf(nodes: readonly Explanation[], seen = new Map<string, number>()): Row[] {
  return nodes.map((node) => {
    const times = (seen.get(node.id) ?? 0) + 1;
    seen.set(node.id, times);
    const key = times === 1 ? node.id : `${node.id}~~${times}`;
    const below: Row[] =
      node.children.length > 0 && node.status !== 'WAIVED'
        ? rowsOf(node.children, seen)
        : [{ key: `${key}//reasons`, node, part: 'reasons', rows: [] }, ...rowsOf(node.children, seen)];
    return { key, node, part: 'head', rows: below };
  });
}

/** Failing nodes start open, down to their reasons; waived ones with the reason for the waiver. */
export function openFromTheStart(rows: readonly Row[]): string[] {
  return rows.flatMap(({ key, node, part, rows: below }) =>
    part === 'head' && !isQuiet(node) ? [key, ...(node.status === 'WAIVED' ? [] : openFromTheStart(below))] : [],
  );
}

export function allKeys(rows: readonly Row[]): string[] {
  return rows.flatMap(({ key, rows: below }) => [key, ...allKeys(below)]);
}

/** Whether there are details besides the reason. A node with children has them there. */
export function hasNeeds({ needs, because, found, children }: Explanation): boolean {
  return children.length === 0 && needs !== '' && (needs !== because || found.length > 0);
}

/** The label of a rule is what it requires, and its evidence is below it. */
export function repeatsNeeds({ kind }: Pick<Explanation, 'kind'>): boolean {
  return kind === 'rule' || kind === 'evidence';
}

/** The reason, without the requirement that the label of the rule has already. */
export function ownReason({ kind, needs, because }: Pick<Explanation, 'kind' | 'needs' | 'because'>): string {
  const [, demanded] = repeatsNeeds({ kind }) ? (/^Policy '.*?' requires (.*)$/s.exec(because) ?? []) : [];
  if (demanded === undefined) return because;
  const whole = `${needs.charAt(0).toLowerCase()}${needs.slice(1)}`.replace(/\.$/, '');
  const cuts = [whole, ...Array.from(whole.matchAll(/, (?:except )?if /g), ({ index }) => whole.slice(0, index))];
  const demand = cuts.find((cut) => demanded.startsWith(`${cut}. `));
  return demand === undefined ? because : demanded.slice(demand.length + 2);
}
