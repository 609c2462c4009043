import type { Comparison } from './ast.ts';

/** Null means missing. */
export type Value = string | number | null;

type Ordering = Exclude<Comparison, 'in'>;

const NUMBER = /^-?[0-9]+(?:\.[0-9]+)?$/;

const BY_OPERATOR: Record<Ordering, (left: string | number, right: string | number) => boolean> = {
  '==': (left, right) => left === right,
  '!=': (left, right) => left !== right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
};

/**
 * A comparison with what is missing, or of a text with a number, is false; only "!=" is true then. A tag that looks
 * like a number counts as one when it meets a number. Texts are ordered by their code units.
 */
export function comparison(operator: Ordering): (left: Value, right: Value, tags: TagSides) => boolean {
  const compare = BY_OPERATOR[operator];
  const whenDifferent = operator === '!=';
  return (left, right, tags) => {
    if (left === null || right === null) return whenDifferent;
    if (typeof left === typeof right) return compare(left, right);
    const leftNumber = asNumber(left, tags.left);
    const rightNumber = asNumber(right, tags.right);
    if (leftNumber === undefined || rightNumber === undefined) return whenDifferent;
    return compare(leftNumber, rightNumber);
  };
}

/** Which sides of a comparison are tags. */
export interface TagSides {
  readonly left: boolean;
  readonly right: boolean;
}

function asNumber(value: string | number, isTag: boolean): number | undefined {
  if (typeof value === 'number') return value;
  return isTag && NUMBER.test(value) ? Number(value) : undefined;
}
