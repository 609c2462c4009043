import { listControlDecisions } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given, readYesNo, timesOf } from '../../resources/options.ts';
import { namedFlow } from '../../resources/references.ts';
import { attestedState, formatState, shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'What was attested about the control, the newest first, in all flows unless --flow says which.',
  examples: [
    { say: 'What failed in the last quarter', run: 'waymark control decisions SDLC-7 --compliant no --since 90d' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .option('--compliant <yes|no>', 'only those that are, or are not', readYesNo)
      .option('--since <when>', 'only those from then on: 7d, 2026-11-01')
      .option('--until <when>', 'only those up to then')
      .addOption(limitOption()),
  async run(session, [identifier], { compliant, limit, ...span }) {
    const org = session.need('org');
    const { from, to } = timesOf(session, span);
    const decisions = await listItems(
      session,
      session.client().items(listControlDecisions, {
        params: { org, identifier },
        query: given({
          is_compliant: compliant,
          from_timestamp: from,
          to_timestamp: to,
          flow_name: namedFlow(session),
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: decisions,
      rows: rowsOf({
        items: decisions,
        columns: [
          { title: 'state', of: attestedState, format: formatState },
          { title: 'trail', of: ({ flow_name, trail_name }) => `${flow_name}/${trail_name}` },
          {
            title: 'artifact',
            of: ({ artifact_fingerprint, target_artifacts }) =>
              shortDigest(artifact_fingerprint) || target_artifacts.join(', '),
          },
          { title: 'decided', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'by', of: ({ reported_by }) => reported_by },
          { title: 'control version', of: ({ control_version }) => control_version, wide: true },
          { title: 'id', of: ({ attestation_id }) => attestation_id, wide: true },
        ],
        name: ({ attestation_id }) => attestation_id,
        none: "There are no such decisions. 'waymark attest decision' records one.",
      }),
      page: session.pageOf(org, 'controls', identifier, 'decisions'),
    };
  },
});
