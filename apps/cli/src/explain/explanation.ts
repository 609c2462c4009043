import type { Explanation } from '@waymark/contract';
import type { Ending } from '../run/exit-codes.ts';

/** The root of a tree, with the text above and below it. */
export interface Explained {
  readonly root: Explanation;
  /** The subject, such as `prod` or `shop/release-1`. */
  readonly title: string;
  /** Lines below the title: since when, how old it is. */
  readonly remarks: readonly string[];
  readonly fixes: readonly string[];
}

export function passes({ status }: Explanation): boolean {
  return status === 'COMPLIANT' || status === 'WAIVED';
}

/** Waived artifacts pass, but should stay visible. */
export function isQuiet(node: Explanation): boolean {
  return node.status === 'COMPLIANT' && node.children.every(isQuiet);
}

/** The exit of `assert`. */
export function endingOf(status: string): Ending {
  if (status === 'COMPLIANT' || status === 'WAIVED') return 'done';
  return status === 'UNKNOWN' ? 'unknown' : 'nonCompliant';
}

/** Without a computed minimal set of actions: the fix of each of the deepest nodes. */
export function fixesIn(node: Explanation): string[] {
  const below = node.children.flatMap(fixesIn);
  if (below.length > 0 || node.fix === null || passes(node)) return [...new Set(below)];
  return [node.fix];
}

/** Where nothing is judged the root says why; nodes below that add nothing are left out. */
export function withoutRepeats(root: Explanation): Explanation {
  if (root.status !== 'UNKNOWN') return root;
  const children = root.children.map((child) =>
    child.children.length === 0 && child.because === root.because ? { ...child, needs: '', because: '' } : child,
  );
  return { ...root, children };
}

/** Whether a leaf shows more than its reason. */
export function hasNeeds({ needs, because, found }: Explanation): boolean {
  return needs !== because || found.length > 0;
}

/** A rule whose only evidence gives the same reason adds nothing, so the evidence stands for both. */
export function shownNode(node: Explanation): Explanation {
  const [only, ...others] = node.children;
  if (node.kind !== 'rule' || !only || others.length > 0 || only.because !== node.because) return node;
  return { ...only, id: node.id, kind: node.kind, status: node.status };
}
