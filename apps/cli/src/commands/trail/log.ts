import { listTrailEvents } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { trailReference } from '../../resources/references.ts';
import { shortDigest, verdictOf } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists what was begun, reported, attested, and approved, newest first.',
  examples: [{ say: 'The history of a trail', run: 'waymark trail log shop/release-1' }],
  settings: ['flow', 'trail'],
  build: (command) =>
    command
      .argument('[trail]', 'TRAIL, or FLOW/TRAIL (default: the trail of the commit being built)')
      .addOption(limitOption()),
  async run(session, [name], { limit }) {
    const org = session.need('org');
    const reference = trailReference(session, name);
    const events = await listItems(
      session,
      session.client().items(listTrailEvents, {
        params: { org, ...reference },
        query: { per_page: pageSize(limit, 1000) },
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: events,
      rows: rowsOf({
        items: events,
        columns: [
          { title: 'time', of: ({ timestamp }) => showTime(timestamp, session) },
          { title: 'event', of: ({ type }) => type.replaceAll('_', ' ') },
          { title: 'subject', of: aboutOf },
          { title: 'by', of: ({ user }) => user },
          { title: 'fingerprint', of: (event) => shortDigest(textIn(event, 'artifact_fingerprint')), wide: true },
        ],
        name: ({ type }) => type,
        none: 'No events in this trail yet.',
      }),
      page: session.pageOf(org, 'flows', reference.flow_name, 'trails', reference.trail_name),
    };
  },
});

type Event = Readonly<Record<string, unknown>>;

function aboutOf(event: Event): string {
  if (Array.isArray(event['changes'])) return event['changes'].join(', ');
  const verdict = typeof event['is_compliant'] === 'boolean' ? `: ${verdictOf(event['is_compliant'])}` : '';
  const names = ['artifact_name', 'template_reference_name', 'reviewer', 'state'].map((key) => textIn(event, key));
  const target = textIn(event, 'target_artifact');
  return `${names.filter(Boolean).join(' ')}${target ? ` of ${target}` : ''}${verdict}`;
}

function textIn(event: Event, key: string): string {
  const value = event[key];
  return typeof value === 'string' ? value : '';
}
