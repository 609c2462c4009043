import { artifactOf } from '../explain/subject.ts';
import { snapshotReference, trailReference } from '../resources/references.ts';
import { usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';

export const SUBJECT_KINDS = [
  ...['attestation', 'trail', 'artifact', 'snapshot', 'decision'],
  ...['policy', 'environment', 'entry'],
] as const;
type SubjectKind = 'attestation' | 'trail' | 'artifact' | 'snapshot' | 'decision' | 'policy' | 'environment' | 'entry';

/** Returns the parameter by which the API finds the entries about something. */
export async function subjectQuery(session: Session, kind: string, what: string): Promise<Record<string, string>> {
  const found = SUBJECT_KINDS.find((known) => known === kind) as SubjectKind | undefined;
  if (found === undefined) throw usageError(`'${kind}' is not a kind of record`, `Use ${SUBJECT_KINDS.join(', ')}`);
  return { [found]: await nameOf(session, found, what) };
}

async function nameOf(session: Session, kind: SubjectKind, what: string): Promise<string> {
  if (kind === 'artifact') return artifactOf(session, what);
  if (kind === 'trail' && !/^[0-9a-f]{8}-/.test(what)) {
    const { flow_name, trail_name } = trailReference(session, what);
    return `${flow_name}/${trail_name}`;
  }
  if (kind === 'snapshot') snapshotReference(what);
  return what;
}
