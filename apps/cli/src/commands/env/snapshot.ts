import { getSnapshot, type Snapshot } from '@waymark/contract';
import { snapshotReference } from '../../resources/references.ts';
import { formatState, shortDigest, stateText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description:
    "Shows what ran and whether it was compliant. ENV is the latest snapshot, 'ENV#7' the seventh, ENV~1 the one " +
    "before the latest, and 'ENV@{2.days.ago}' or 'ENV@{2026-11-01T12:00:00}' what ran at that time (UTC).",
  examples: [
    { say: 'What runs now', run: 'waymark env snapshot prod' },
    { say: 'What ran two days ago', run: "waymark env snapshot 'prod@{2.days.ago}'" },
  ],
  build: (command) => command.argument('<snapshot>', "ENV, 'ENV#N', ENV~N, or 'ENV@{TIME}'"),
  async run(session, [text]) {
    const org = session.need('org');
    const reference = snapshotReference(text);
    const snapshot = await session
      .client()
      .call(getSnapshot, { params: { org, ...reference }, signal: session.io.signal });
    const columns = [
      { title: 'state', of: ({ compliance }: Artifact) => compliance, format: formatState },
      { title: 'name', of: ({ name }: Artifact) => name },
      {
        title: 'fingerprint',
        of: ({ fingerprint }: Artifact) => fingerprint,
        format: (digest: string) => shortDigest(digest) || '(unknown)',
      },
      { title: 'instances', of: ({ annotation }: Artifact) => annotation.now },
      { title: 'change', of: ({ annotation }: Artifact) => annotation.type.replaceAll('-', ' ') },
      { title: 'flow', of: ({ flow_name }: Artifact) => flow_name || 'no provenance' },
      { title: 'commit', of: ({ git_commit }: Artifact) => shortDigest(git_commit), wide: true as const },
      {
        title: 'reason',
        of: ({ reasons_for_incompliance, allow_listing }: Artifact) =>
          allow_listing?.description ?? reasons_for_incompliance[0]?.message,
        wide: true as const,
      },
    ];
    return {
      data: snapshot,
      rows: rowsOf({
        items: snapshot.artifacts,
        columns,
        name: ({ fingerprint, name }) => fingerprint || name,
        none: `Nothing ran in ${reference.env_name}#${snapshot.index}.`,
      }),
      text: (style) => summary(snapshot, reference.env_name, style, session),
      page: session.pageOf(org, 'environments', reference.env_name, 'snapshots', String(snapshot.index)),
    };
  },
});

type Artifact = Snapshot['artifacts'][number];

function summary(snapshot: Snapshot, name: string, style: Style, session: Session): string {
  const { index, timestamp, next_snapshot_timestamp: next, applied_policies: policies } = snapshot;
  const until = next === null ? 'now' : showTime(next, session);
  const applied = policies.map((policy) => `${oneLine(policy.name)} v${policy.version}`).join(', ') || 'none';
  return `${stateText(snapshot.compliance, style)}  ${name}#${index}, from ${showTime(timestamp, session)} until ${until}, policies: ${applied}`;
}
