import { listAttestations } from '@waymark/contract';
import { limitOption, listItems, pageSize } from '../../resources/list-items.ts';
import { collect, given, readYesNo, timesOf } from '../../resources/options.ts';
import { attestedState, formatState, shortDigest } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { rowsOf } from '../../run/outcome.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Lists attestations, newest first, of all flows or of the one given with --flow.',
  examples: [
    { say: 'What failed in the last week', run: 'waymark attestation list --compliant no --since 7d' },
    { say: 'All SBOMs of a flow', run: 'waymark attestation list --flow shop --type sbom --limit 0' },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .option('--name <name>', 'only attestations with this name')
      .option('--name-regex <expression>', 'only attestations whose name matches this regular expression (RE2)')
      .option('--type <type>', 'type such as junit, sbom, or custom:NAME; repeat to match any of several', collect)
      .option('--compliant <yes|no>', 'only compliant or only non-compliant attestations', readYesNo)
      .option('--since <time>', 'only since this time: 7d, 2026-11-01')
      .option('--until <time>', 'only until this time')
      .addOption(limitOption()),
  async run(session, _, { name, nameRegex, type, compliant, limit, ...span }) {
    const org = session.need('org');
    const { flow } = session.settings;
    const { from, to } = timesOf(session, span);
    const attestations = await listItems(
      session,
      session.client().items(listAttestations, {
        params: { org },
        query: given({
          name,
          name_regex: nameRegex,
          flow,
          type,
          is_compliant: compliant,
          from_timestamp: from,
          to_timestamp: to,
          per_page: pageSize(limit, 100),
        }),
        signal: session.io.signal,
      }),
      limit,
    );
    return {
      data: attestations,
      rows: rowsOf({
        items: attestations,
        columns: [
          { title: 'state', of: attestedState, format: formatState },
          { title: 'name', of: ({ attestation_name }) => attestation_name },
          { title: 'type', of: ({ attestation_type }) => attestation_type },
          { title: 'trail', of: ({ flow_name, trail_name }) => `${flow_name}/${trail_name}` },
          {
            title: 'artifact',
            of: ({ artifact_fingerprint, target_artifacts }) =>
              shortDigest(artifact_fingerprint) || target_artifacts.join(', '),
          },
          { title: 'received', of: ({ created_at }) => showTime(created_at, session) },
          { title: 'by', of: ({ reported_by }) => reported_by, wide: true },
          { title: 'trust', of: ({ trust }) => trust, wide: true },
          { title: 'id', of: ({ attestation_id }) => attestation_id },
        ],
        name: ({ attestation_id }) => attestation_id,
        none: "No attestations found. Record one with 'waymark attest'.",
      }),
    };
  },
});
