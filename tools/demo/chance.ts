import { hash } from 'node:crypto';

/** Pseudo-random draws that are the same for the same seed, on every machine. */
export interface Chance {
  /** Both ends included. */
  whole(from: number, to: number): number;
  pick<T>(choices: readonly [T, ...T[]]): T;
  isOneIn(count: number): boolean;
}

export function chanceOf(seed: string): Chance {
  let drawn = 0;
  const fraction = () => Number.parseInt(hash('sha256', `${seed} ${drawn++}`).slice(0, 8), 16) / 2 ** 32;
  const whole = (from: number, to: number) => from + Math.floor(fraction() * (to - from + 1));
  return {
    whole,
    pick: (choices) => choices[whole(0, choices.length - 1)] ?? choices[0],
    isOneIn: (count) => whole(1, count) === 1,
  };
}

export function sha256Of(what: string): string {
  return hash('sha256', what);
}
