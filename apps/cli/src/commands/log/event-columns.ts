import type { EnvironmentEvent } from '@waymark/contract';
import { formatState, shortDigest, verdictOf } from '../../resources/show.ts';
import type { Column } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';

/** The columns for events of an environment, the same in every command. */
export function eventColumns(session: Session): Column<EnvironmentEvent>[] {
  return [
    { title: 'time', of: ({ reported_at }) => showTime(reported_at, session) },
    { title: 'snapshot', of: ({ environment_name, snapshot_index }) => `${environment_name}#${snapshot_index}` },
    { title: 'event', of: ({ type }) => type },
    { title: 'artifact', of: ({ artifact_name }) => artifact_name },
    { title: 'fingerprint', of: ({ sha256 }) => sha256, format: (text) => shortDigest(text) },
    { title: 'state', of: ({ artifact_compliance }) => verdictOf(artifact_compliance), format: formatState },
    { title: 'flow', of: ({ pipeline }) => pipeline },
    { title: 'description', of: ({ description }) => description, wide: true },
  ];
}
