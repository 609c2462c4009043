import { getTrail, type Trail } from '@waymark/contract';
import { trailReference } from '../../resources/references.ts';
import { factsText, shortDigest, stateText, verdictOf } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import type { Style } from '../../run/style.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: "Shows the verdict of the trail and each requirement. 'waymark why FLOW/TRAIL' shows the reasons.",
  examples: [
    { say: 'One trail', run: 'waymark trail get release-1 --flow shop' },
    { say: 'As FLOW/TRAIL', run: 'waymark trail get shop/release-1' },
  ],
  settings: ['flow', 'trail'],
  build: (command) =>
    command.argument('[trail]', 'TRAIL, or FLOW/TRAIL (default: the trail of the commit being built)'),
  async run(session, [name]) {
    const org = session.need('org');
    const params = { org, ...trailReference(session, name) };
    const trail = await session.client().call(getTrail, { params, signal: session.io.signal });
    const { git_commit_info: commit } = trail;
    return {
      data: trail,
      text: (style) =>
        [
          factsText(
            `${stateText(trail.compliance_state, style)}  ${style.strong(`${trail.flow_name}/${trail.name}`)}`,
            [
              ['description', trail.description],
              ['commit', commit && `${shortDigest(commit.sha1)} ${commit.message?.split('\n')[0] ?? ''}`],
              ['branch', commit?.branch],
              ['author', commit?.author],
              ['origin', trail.origin_url],
              ['begun', `${showTime(trail.created_at, session)} by ${trail.created_by}`],
            ],
          ),
          statusLines(trail, style).join('\n'),
        ]
          .filter(Boolean)
          .join('\n\n'),
      page: session.pageOf(org, 'flows', trail.flow_name, 'trails', trail.name),
    };
  },
});

type Slot = Trail['compliance_status']['attestations_statuses'][number];

function statusLines({ compliance_status: status, pending }: Trail, style: Style): string[] {
  return [
    ...status.attestations_statuses.map((slot) => slotLine(slot, '', style)),
    ...Object.entries(status.artifacts_statuses).flatMap(([name, artifact]) => [
      `  ${stateText(artifact.status, style)}  ${oneLine(name)} ${style.faint(shortDigest(artifact.artifact_fingerprint))}`.trimEnd(),
      ...artifact.attestations_statuses.map((slot) => slotLine(slot, '  ', style)),
    ]),
    ...pending.map(
      ({ attestation_name, target_artifact }) =>
        `  ${style.doubtful('?')} ${oneLine(attestation_name)} is about '${oneLine(target_artifact)}', which is not in this trail`,
    ),
  ];
}

function slotLine(slot: Slot, indent: string, style: Style): string {
  const state = slot.status === 'MISSING' ? 'missing' : verdictOf(slot.is_compliant);
  const more = slot.unexpected ? style.faint(' (not in the template)') : '';
  return `  ${indent}${stateText(state, style)}  ${oneLine(slot.attestation_name)} (${oneLine(slot.attestation_type)})${more}`;
}
