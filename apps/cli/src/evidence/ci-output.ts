import { type Annotation, annotationLines } from '../ci/annotation-lines.ts';
import { jobSummary } from '../ci/job-summary.ts';
import type { Session } from '../run/session.ts';

/**
 * For the CI system, on standard error: agents read both streams, and standard output is for results. Only TeamCity
 * needs its messages on standard output, and gets them there unless a program reads it.
 */
export function writeCiLines(session: Session, lines: readonly string[]): void {
  const { io } = session;
  const isOut = session.ci().provider === 'teamcity' && isForPeople(session);
  for (const line of lines) (isOut ? io.stdout : io.stderr).write(`${line}\n`);
}

function isForPeople({ settings: { output, json, jq } }: Session): boolean {
  return output === 'table' && json === undefined && jq === undefined;
}

export function annotate(session: Session, annotation: Annotation): void {
  writeCiLines(session, annotationLines(session.ci().provider, annotation));
}

export function summarise(session: Session, markdown: string, key: string): void {
  const { io } = session;
  const { lines, problem } = jobSummary(session.ci().provider, io.env, markdown, key, io.run);
  writeCiLines(session, lines);
  if (problem !== undefined) session.warn(problem);
}
