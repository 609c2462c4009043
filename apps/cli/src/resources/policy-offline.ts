import { basename } from 'node:path';
import { type PolicyProblem, parsePolicy, type TestedCase, testPolicy } from '@waymark/policy';
import { usageError } from '../run/cli-error.ts';
import type { Outcome } from '../run/outcome.ts';
import type { Session } from '../run/session.ts';
import type { Style } from '../run/style.ts';
import { oneLine } from '../run/table.ts';
import { readInput } from './read-input.ts';

/** "prod.yml:3:15: artifacts.provenance.required: …", one line for each. */
export function problemLines(file: string, problems: readonly PolicyProblem[]): string[] {
  return problems.map(
    ({ line, column, path, message }) => `${file}:${line}:${column}: ${path ? `${path}: ` : ''}${oneLine(message)}`,
  );
}

/** Judges the cases of a fixtures file without the service. */
export async function testWithFixtures(session: Session, file: string, fixtures: string): Promise<Outcome> {
  if (file === '-' && fixtures === '-') {
    throw usageError('--file and --fixtures cannot both be standard input', 'Write one of them to a file');
  }
  const parsed = parsePolicy(await readInput(session, file));
  if ('problems' in parsed) return refused(file, parsed.problems);
  const tested = testPolicy(parsed.policy, { name: nameOf(file), version: 0 }, await readInput(session, fixtures));
  if ('problems' in tested) return refused(fixtures, tested.problems);
  return outcomeOf(tested.cases, fixtures);
}

function refused(file: string, problems: readonly PolicyProblem[]): Outcome {
  return { data: { valid: false, problems }, text: problemLines(file, problems).join('\n'), ending: 'usage' };
}

function nameOf(file: string): string {
  return basename(file).replace(/\.ya?ml$/, '');
}

function outcomeOf(cases: readonly TestedCase[], fixtures: string): Outcome {
  const failed = cases.filter(({ passed }) => !passed);
  const text = (style: Style) =>
    [
      ...failed.flatMap((one) => [
        `${style.bad('✕')} ${fixtures}:${one.line}: ${oneLine(one.name)}: expected ${one.expected}, got ${one.verdict}`,
        ...one.reasons.map((reason) => `    ${oneLine(reason)}`),
        ...one.missing.map((missing) => `    No reason contains "${oneLine(missing)}"`),
      ]),
      failed.length === 0
        ? `${style.good('✓')} ${cases.length} of ${cases.length} cases passed`
        : `${style.bad('✕')} ${failed.length} of ${cases.length} cases failed`,
    ].join('\n');
  return {
    data: { cases },
    text,
    ...(failed.length > 0 && { ending: 'nonCompliant' as const }),
  };
}
