import { partialDeepStrictEqual } from 'node:assert/strict';
import type { Result } from './client.ts';

/** Steps run in order; later ones may build on earlier ones. */
export type Step = Command | Action;

/** One command for the client and its expected result. */
export interface Command {
  /** A function where they are known only at that time. */
  readonly args: readonly string[] | (() => readonly string[]);
  readonly env?: Readonly<Record<string, string>>;
  readonly exit: 0 | 1;
  /** On standard output if the command should succeed, else on standard error. */
  readonly prints?: readonly (string | RegExp)[];
  /** What must not be printed there. */
  readonly lacks?: readonly RegExp[];
  /** The minimum content of the JSON on standard output. */
  readonly json?: object;
  /** True when a worker has to process an event first, so the result may take a moment. */
  readonly settles?: true;
}

/** A step that the client cannot do here, done in its place. */
export interface Action {
  readonly does: string;
  /** Returns what went wrong. */
  readonly run: (server: Server) => Promise<readonly string[]>;
}

export interface Server {
  readonly url: string;
  readonly key: string;
}

/** The output of a client that met a null, a missing field or an unexpected type. */
const MISHAPS = ['<nil>', '%!', 'panic:', 'goroutine', 'undefined', '[object Object]'];

export function complaintsAbout(step: Command, { exit, out, err }: Result): string[] {
  const printed = step.exit === 0 ? out : err;
  const missing = (step.prints ?? []).filter((expected) =>
    typeof expected === 'string' ? !printed.includes(expected) : !expected.test(printed),
  );
  return [
    ...(exit === step.exit ? [] : [`should have ended with ${step.exit}`]),
    ...missing.map((expected) => `should have printed ${expected}`),
    ...(step.lacks ?? []).filter((surplus) => surplus.test(printed)).map((surplus) => `should not print ${surplus}`),
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
