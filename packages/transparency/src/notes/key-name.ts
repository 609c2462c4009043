import { FormatError } from '../format-error.ts';
import { shown } from '../text.ts';

const MAX_NAME_LENGTH = 255;

/** Returns what is wrong with the name of a key, if anything is. */
export function keyNameProblem(name: string): string | undefined {
  if (name === '') return 'the name of the key is empty';
  if (name.length > MAX_NAME_LENGTH) return `the name of the key is longer than ${MAX_NAME_LENGTH} characters`;
  if (/[\s\p{Z}\p{Cc}+]/u.test(name)) return `${shown(name)} is not the name of a key: it has a space or a plus`;
  return name.isWellFormed() ? undefined : 'the name of the key is not valid UTF-8';
}

export function checkKeyName(name: string, format: string, line?: number): string {
  const problem = keyNameProblem(name);
  if (problem !== undefined) throw new FormatError(format, problem, line);
  return name;
}
