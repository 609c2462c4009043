/** Continuous integration runs a short form of what takes long; the full form is for a release. */
export const isFull = process.env['WAYMARK_TEST_SIZE'] === 'full';

/** A number that is another one each day. */
export const TODAY = Math.floor(Date.now() / 86_400_000);

/** Of things that are tested alike the short form takes a share, each day the next one; the full form takes all. */
export function todays<T>(all: readonly T[], shares: number): readonly T[] {
  return isFull ? all : all.filter((_, place) => place % shares === TODAY % shares);
}
