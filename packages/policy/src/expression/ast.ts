export const COMPARISONS = ['==', '!=', '<=', '>=', '<', '>', 'in'] as const;
export type Comparison = (typeof COMPARISONS)[number];

interface Placed {
  /** Where it begins in the text of the expression; of what has an operator in the middle, where that is. */
  readonly at: number;
}

export interface TextNode extends Placed {
  readonly kind: 'text';
  readonly value: string;
}

export interface NumberNode extends Placed {
  readonly kind: 'number';
  /** As it was written: `1.50` is printed as `1.50`. */
  readonly digits: string;
}

export interface ListNode extends Placed {
  readonly kind: 'list';
  readonly items: readonly Expression[];
}

/** `flow.tags.risk`, the dots included: keys of tags may hold dots, too. */
export interface NameNode extends Placed {
  readonly kind: 'name';
  readonly name: string;
}

export interface CallNode extends Placed {
  readonly kind: 'call';
  readonly name: string;
  readonly parameters: readonly Expression[];
}

export interface NotNode extends Placed {
  readonly kind: 'not';
  readonly operand: Expression;
}

export interface ComparisonNode extends Placed {
  readonly kind: 'comparison';
  readonly operator: Comparison;
  readonly left: Expression;
  readonly right: Expression;
}

/** At least two operands: `a and b and c` is one node, so that a long list of conditions is not deep. */
export interface ChainNode extends Placed {
  readonly kind: 'and' | 'or';
  readonly operands: readonly Expression[];
}

export type Expression = TextNode | NumberNode | ListNode | NameNode | CallNode | NotNode | ComparisonNode | ChainNode;
