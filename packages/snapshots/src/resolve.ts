import { earlier } from './earlier.ts';
import type { Numbered, Timed } from './expression.ts';

export function momentOf(expression: Timed, now: Date): Date {
  if (expression.kind === 'moment') return expression.at;
  return expression.kind === 'now' ? now : earlier(now, expression.amount, expression.unit);
}

/** May be outside of 1 to `latest`: then there is no such snapshot. */
export function indexOf(expression: Numbered, latest: number): number {
  if (expression.kind === 'behind') return latest - expression.count;
  return expression.index < 0 ? latest + 1 + expression.index : expression.index;
}
