import { wordsOf } from '../../evidence/attestation-line.ts';
import { statementFacts } from '../../evidence/statement-facts.ts';
import { findAttestation } from '../../resources/find-attestation.ts';
import { attestedState, factsText, shortDigest, stateText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: 'Shows the content of the attestation, its verdict with the reasons, and its trust level.',
  examples: [
    { say: 'One attestation', run: 'waymark attestation get 01a1e0ce-8657-7731-bb0d-93e1d875a1ef' },
    {
      say: 'The data of the type',
      run: 'waymark attestation get 01a1e0ce-8657-7731-bb0d-93e1d875a1ef --jq .attestation_data',
    },
  ],
  build: (command) => command.argument('<id>', 'id of the attestation'),
  async run(session, [id]) {
    const found = await findAttestation(session, id);
    return {
      data: found,
      text: (style) =>
        factsText(
          `${stateText(attestedState(found), style)}  ${style.strong(oneLine(found.attestation_name))} (${oneLine(found.attestation_type)})`,
          [
            ['outcome', wordsOf(found.outcome)],
            ...found.reasons.map((reason): [string, string] => ['reason', reason]),
            [
              'erased',
              found.erased &&
                `${showTime(found.erased.at, session)} by ${found.erased.by}: ${oneLine(found.erased.reason)}`,
            ],
            ...statementFacts(found),
            ['description', found.description],
            ['trail', `${found.flow_name}/${found.trail_name}`],
            ['artifact', found.artifact_fingerprint ?? found.target_artifacts.join(', ')],
            ['control', found.control],
            ['overrides', found.overrides && `${found.overrides}: ${found.override_reason ?? ''}`],
            ['commit', shortDigest(found.git_commit_info?.sha1)],
            ['origin', found.origin_url],
            ['attachment', found.evidence_archive_path],
            ['trust', found.trust.replaceAll('_', ' ')],
            ['received', `${showTime(found.created_at, session)} by ${found.reported_by}`],
            ['occurred', found.late ? `${showTime(found.claimed_at, session)} (reported late)` : null],
          ],
        ),
      page: session.pageOf(session.need('org'), 'flows', found.flow_name, 'trails', found.trail_name),
    };
  },
});
