import type { PolicyProblem } from '@waymark/policy';
import { invalidField } from '../errors.ts';
import type { Sandbox } from './sandbox.ts';
import { SandboxFailed, SandboxTimeout } from './sandbox-error.ts';

/** Smaller texts are read on the main thread: at most 2 ms per KiB (yaml 2.9.1, November 2026). */
const SMALL_BYTES = 8 * 1024;

/** The slowest text takes half a second; a valid one must not be refused because the machine is busy. */
const TIMEOUT_MS = 10_000;

/** For large texts. A valid one of 32,000 lines, each an empty comment, takes 80 ms to read. */
const LINES_MAX = 5_000;

interface Screened {
  readonly kind: 'policy' | 'template';
  /** The field in which it was sent. */
  readonly field: string;
  readonly text: string;
}

/**
 * Reads a caller's large YAML in the sandbox first. Text crafted to be slow is always refused, so what remains for the
 * main thread is quick.
 */
export async function screenYaml(
  org: string,
  sandbox: Sandbox,
  { kind, field, text }: Screened,
): Promise<readonly PolicyProblem[]> {
  if (text.length <= SMALL_BYTES) return [];
  if (text.split('\n', LINES_MAX + 1).length > LINES_MAX) return [tooManyLines(kind)];
  try {
    return await sandbox.run(org, 'problemsInYaml', () => ({ kind, text }), { timeoutMs: TIMEOUT_MS });
  } catch (error) {
    if (!(error instanceof SandboxTimeout || error instanceof SandboxFailed)) throw error;
    throw invalidField(field, 'takes too much time or memory to read. Make it smaller');
  }
}

function tooManyLines(kind: Screened['kind']): PolicyProblem {
  const message = `The ${kind} has more than ${LINES_MAX} lines; remove empty lines and comments.`;
  return { path: '', line: LINES_MAX + 1, column: 1, message };
}
