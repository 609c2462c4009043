import type { Unit } from './earlier.ts';

/** By number: from 1 on, or back from the latest, where -1 is the latest. Or so many before the latest. */
export type Numbered =
  | { readonly kind: 'index'; readonly index: number }
  | { readonly kind: 'behind'; readonly count: number };

export type AgoUnit = Exclude<Unit, 'seconds' | 'minutes'>;

/** By time: the snapshot at a moment. */
export type Timed =
  | { readonly kind: 'moment'; readonly at: Date }
  | { readonly kind: 'ago'; readonly amount: number; readonly unit: AgoUnit }
  | { readonly kind: 'now' };

export type Expression = Numbered | Timed;
