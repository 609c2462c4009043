/** Continuous integration runs a short form of slow tests; the full form is for a release. */
export const isFull = process.env['WAYMARK_TEST_SIZE'] === 'full';

/**
 * Of similar cases, the short form takes every nth; the full form takes all. The selection never depends on the day: a
 * commit that passes today must pass tomorrow.
 */
export function isInSample(place: number, nth: number): boolean {
  return isFull || place % nth === 0;
}

export function sample<T>(all: readonly T[], nth: number): readonly T[] {
  return all.filter((_, place) => isInSample(place, nth));
}
