import { type DiffArtifact, diffSnapshots } from '@waymark/contract';
import { SNAPSHOT_HELP } from '../../explain/subject.ts';
import { snapshotReference } from '../../resources/references.ts';
import { shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';

export const command = defineCommand({
  description: `Compares two snapshots of one environment, or two environments. Artifacts are the same if their fingerprints are equal. ${SNAPSHOT_HELP}`,
  examples: [
    { say: 'What the latest snapshot changed', run: 'waymark diff prod' },
    { say: 'What changed since yesterday', run: "waymark diff 'prod@{1.days.ago}'" },
    { say: 'What differs between prod and staging', run: 'waymark diff prod staging' },
  ],
  build: (command) =>
    command
      .argument('<before>', 'ENV, or one of its snapshots')
      .argument('[after]', 'what to compare it with (default: the latest snapshot of the same environment)')
      .option('--all', 'also show unchanged artifacts'),
  async run(session, [before, after], { all }) {
    const org = session.need('org');
    const [from, to] = pair(before, after);
    const diff = await session.client().call(diffSnapshots, {
      params: { org },
      query: { snappish1: from, snappish2: to },
      signal: session.io.signal,
    });
    const { snappish1, snappish2, changed, 'not-changed': same } = diff;
    const marked = (mark: Mark, artifacts: readonly DiffArtifact[]) =>
      artifacts.map((artifact) => ({ mark, ...artifact }));
    const title = `${snappish1.snapshot_id ?? from} → ${snappish2.snapshot_id ?? to}`;
    const items = [
      ...marked('-', snappish1.artifacts),
      ...marked('+', snappish2.artifacts),
      ...marked('~', changed.artifacts),
      ...(all ? marked('=', same.artifacts) : []),
    ];
    const untold = all || same.artifacts.length === 0 ? '' : `; ${same.artifacts.length} unchanged`;
    return {
      data: diff,
      text: items.length === 0 ? `${title}: nothing changed${untold}` : `${title}${untold}`,
      rows: rowsOf({
        items,
        columns: [
          { title: '', of: ({ mark }) => mark, format: (text, { mark }, style) => STYLES[mark](style)(text) },
          { title: 'name', of: nameOf },
          { title: 'fingerprint', of: ({ fingerprint }) => shortDigest(fingerprint) || 'not identified' },
          { title: 'instances', of: instancesOf },
          { title: 'flow', of: ({ flow }) => flow || 'no provenance' },
          { title: 'started', of: (artifact) => showTime(artifact.most_recent_timestamp, session) },
          { title: 'commit', of: ({ commit_url }) => commit_url, wide: true },
          { title: 'digest', of: ({ fingerprint }) => fingerprint, wide: true },
        ],
        name: ({ name }) => name,
        none: `${title}: nothing changed${untold}`,
      }),
      page: session.pageOf(org, 'environments', snapshotReference(before).env_name),
    };
  },
});

type Mark = '-' | '+' | '~' | '=';

const STYLES: Readonly<Record<Mark, (style: Style) => (text: string) => string>> = {
  '-': (style) => style.bad,
  '+': (style) => style.good,
  '~': (style) => style.doubtful,
  '=': (style) => style.faint,
};

/** A single environment is compared with its previous snapshot, and a single snapshot with the latest. */
function pair(before: string, after: string | undefined): [string, string] {
  const { env_name, snapshot_expression } = snapshotReference(before);
  if (after !== undefined) return [snappish(before), snappish(after)];
  return snapshot_expression === '-1' && before === env_name
    ? [`${env_name}~1`, env_name]
    : [snappish(before), env_name];
}

/** In the form that the API takes. */
function snappish(text: string): string {
  const { env_name, snapshot_expression } = snapshotReference(text);
  if (text === env_name) return env_name;
  return `${env_name}${/^-?\d/.test(snapshot_expression) ? '#' : ''}${snapshot_expression}`;
}

function nameOf({ name, previous_name }: DiffArtifact): string {
  return previous_name === null || previous_name === name ? name : `${previous_name} → ${name}`;
}

function instancesOf({ instance_count, s1_instance_count, s2_instance_count }: DiffArtifact): string {
  if (instance_count !== null) return String(instance_count);
  return `${s1_instance_count ?? 0} → ${s2_instance_count ?? 0}`;
}
