export interface Tally {
  failures: number;
  errors: number;
  skipped: number;
  total: number;
}

export const NOTHING: Tally = Object.freeze({ failures: 0, errors: 0, skipped: 0, total: 0 });

export function plus(a: Tally, b: Tally): Tally {
  return combine(a, b, (x, y) => x + y);
}

export function minus(a: Tally, b: Tally): Tally {
  return combine(a, b, (x, y) => x - y);
}

export function larger(a: Tally, b: Tally): Tally {
  return combine(a, b, Math.max);
}

export function isNothing(tally: Tally): boolean {
  return tally.failures === 0 && tally.errors === 0 && tally.skipped === 0 && tally.total === 0;
}

function combine(a: Tally, b: Tally, by: (x: number, y: number) => number): Tally {
  return {
    failures: by(a.failures, b.failures),
    errors: by(a.errors, b.errors),
    skipped: by(a.skipped, b.skipped),
    total: by(a.total, b.total),
  };
}
