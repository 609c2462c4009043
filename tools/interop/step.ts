import { partialDeepStrictEqual } from 'node:assert/strict';
import type { Result } from './client.ts';

/** One command for the client and what has to come of it. Steps run in order; later ones may build on earlier ones. */
export interface Step {
  readonly args: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly exit: 0 | 1;
  /** On standard output if the command is to succeed, else on standard error. */
  readonly prints?: readonly (string | RegExp)[];
  /** What the JSON on standard output has to hold at least. */
  readonly json?: object;
}

/** What a client prints that met a null, a missing field or another type than it expects. */
const MISHAPS = ['<nil>', '%!', 'panic:', 'goroutine', 'undefined', '[object Object]'];

export function complaintsAbout(step: Step, { exit, out, err }: Result): string[] {
  const printed = step.exit === 0 ? out : err;
  const missing = (step.prints ?? []).filter((expected) =>
    typeof expected === 'string' ? !printed.includes(expected) : !expected.test(printed),
  );
  return [
    ...(exit === step.exit ? [] : [`should have ended with ${step.exit}`]),
    ...missing.map((expected) => `should have printed ${expected}`),
    ...MISHAPS.filter((mishap) => (out + err).includes(mishap)).map((mishap) => `should not print ${mishap}`),
    ...(step.json ? complaintsAboutJson(step.json, out) : []),
  ];
}

function complaintsAboutJson(expected: object, out: string): string[] {
  try {
    partialDeepStrictEqual(JSON.parse(out), expected);
    return [];
  } catch (error) {
    return [`should have printed other JSON: ${(error as Error).message}`];
  }
}
