/** Continuous integration runs a short form of what takes long; the full form is for a release. */
export const isFull = process.env['WAYMARK_TEST_SIZE'] === 'full';

const TODAY = Math.floor(Date.now() / 86_400_000);

/** Of things that are tested alike the short form takes a share, each day the next one; the full form takes all. */
export function isTodays(place: number, shares: number): boolean {
  return isFull || place % shares === TODAY % shares;
}

export function todays<T>(all: readonly T[], shares: number): readonly T[] {
  return all.filter((_, place) => isTodays(place, shares));
}
