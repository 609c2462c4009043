import { partialDeepStrictEqual } from 'node:assert/strict';
import type { Result } from './client.ts';

/** Steps run in order; later ones may build on earlier ones. */
export type Step = Command | Action;

/** One command for the client and what has to come of it. */
export interface Command {
  /** A function where they are known only when it is the command's turn. */
  readonly args: readonly string[] | (() => readonly string[]);
  readonly env?: Readonly<Record<string, string>>;
  readonly exit: 0 | 1;
  /** On standard output if the command is to succeed, else on standard error. */
  readonly prints?: readonly (string | RegExp)[];
  /** What must not be printed there. */
  readonly lacks?: readonly RegExp[];
  /** What the JSON on standard output has to hold at least. */
  readonly json?: object;
  /** True when it may take a moment until it comes so, because a worker has to see what happened first. */
  readonly settles?: true;
}

/** What the client cannot do here, done in its place. */
export interface Action {
  readonly does: string;
  /** Returns what went wrong. */
  readonly run: (server: Server) => Promise<readonly string[]>;
}

export interface Server {
  readonly url: string;
  readonly key: string;
}

/** What a client prints that met a null, a missing field or another type than it expects. */
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
