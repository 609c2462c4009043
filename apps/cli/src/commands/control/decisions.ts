import { listControlDecisions } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { given, readYesNo, timesOf } from '../../resources/options.ts';
import { namedFlow } from '../../resources/references.ts';
import { attestedState, formatState, shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists attested decisions on the control, newest first, in all flows or in the one given with --flow.',
  examples: [
    { say: 'What failed in the last quarter', run: 'waymark control decisions SDLC-7 --compliant no --since 90d' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .option('--compliant <yes|no>', 'only compliant or only non-compliant decisions', readYesNo)
      .option('--since <when>', 'only since this time: 7d, 2026-11-01')
      .option('--until <when>', 'only until this time')
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
        none: "No decisions found. Record one with 'waymark attest decision'.",
      }),
      page: session.pageOf(org, 'controls', identifier, 'decisions'),
    };
  },
});
