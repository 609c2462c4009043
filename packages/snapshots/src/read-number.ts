import { shown } from './refused.ts';

/** Snapshots are numbered by an integer of 32 bits. */
const LARGEST = 2_147_483_647;

const PLAIN = /^(?:0|-?[1-9]\d*)$/;

/** Returns the number, or its error. */
export function readNumber(text: string): number | string {
  if (!PLAIN.test(text)) return `has ${shown(text)} where a whole number without leading zeros belongs`;
  const number = Number(text);
  return Math.abs(number) > LARGEST ? `has the number ${shown(text)}, and ${LARGEST} is the largest` : number;
}

export function readPositive(text: string): number | string {
  const number = readNumber(text);
  return typeof number === 'number' && number < 1 ? `has ${number} instead of a number of at least 1` : number;
}
