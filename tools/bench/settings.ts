/** A number that the environment may set, so that a bench can be tried in a small size. */
export function setting(name: string, usual: number): number {
  const set = process.env[name];
  if (set === undefined) return usual;
  const number = Number(set);
  if (!Number.isInteger(number) || number < 1) throw new Error(`${name} must be a whole number from 1 on`);
  return number;
}

export const ROUNDS = setting('BENCH_ROUNDS', 5);
export const SECONDS = setting('BENCH_SECONDS', 5);
