import type { Explanation } from '@waymark/contract';
import type { Ending } from '../run/exit-codes.ts';

/** The root of a tree, with what is said above and below it. */
export interface Explained {
  readonly root: Explanation;
  /** What was asked about, such as `prod` or `shop/release-1`. */
  readonly title: string;
  /** Said below the title: since when, how old it is. */
  readonly remarks: readonly string[];
  readonly fixes: readonly string[];
}

export function passes({ status }: Explanation): boolean {
  return status === 'COMPLIANT' || status === 'WAIVED';
}

/** Allow-listed things pass, but somebody should see that they do. */
export function isQuiet(node: Explanation): boolean {
  return node.status === 'COMPLIANT' && node.children.every(isQuiet);
}

/** How `assert` would end. */
export function endingOf(status: string): Ending {
  if (status === 'COMPLIANT' || status === 'WAIVED') return 'done';
  return status === 'UNKNOWN' ? 'unknown' : 'nonCompliant';
}

/** Where nobody has worked out a small set of actions: what each of the deepest nodes says. */
export function fixesIn(node: Explanation): string[] {
  const below = node.children.flatMap(fixesIn);
  if (below.length > 0 || node.fix === null || passes(node)) return [...new Set(below)];
  return [node.fix];
}

/** Where nothing is judged the root says why, and it counts for all below that have nothing to add. */
export function withoutRepeats(root: Explanation): Explanation {
  if (root.status !== 'UNKNOWN') return root;
  const children = root.children.map((child) =>
    child.children.length === 0 && child.because === root.because ? { ...child, needs: '', because: '' } : child,
  );
  return { ...root, children };
}

/** Whether there is more to say of a leaf than why. */
export function hasNeeds({ needs, because, found }: Explanation): boolean {
  return needs !== because || found.length > 0;
}

/** A rule whose only evidence gives the same reason says nothing of its own, so the evidence stands for both. */
export function shownNode(node: Explanation): Explanation {
  const [only, ...others] = node.children;
  if (node.kind !== 'rule' || !only || others.length > 0 || only.because !== node.because) return node;
  return { ...only, id: node.id, kind: node.kind, status: node.status };
}
