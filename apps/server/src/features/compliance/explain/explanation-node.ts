import type { ExplanationFound } from '@waymark/contract';
import type { PolicyExplanation } from '@waymark/policy';

/** A node as it is on the wire. */
export interface ExplanationNode {
  readonly id: string;
  readonly kind: string;
  readonly status: string;
  readonly needs: string;
  readonly found: readonly ExplanationFound[];
  readonly because: string;
  readonly fix: string | null;
  readonly since: number | null;
  readonly children: readonly ExplanationNode[];
}

/** For the root of a reply, which has more members. */
export function toRoot({ found, children, ...node }: ExplanationNode) {
  return { ...node, found: [...found], children: [...children] };
}

export function toNode(explanation: PolicyExplanation): ExplanationNode {
  return {
    ...explanation,
    found: explanation.found.map(({ isCompliant, control, ...found }) => ({
      ...found,
      is_compliant: isCompliant,
      ...(control !== null && { control }),
    })),
    children: explanation.children.map(toNode),
  };
}
