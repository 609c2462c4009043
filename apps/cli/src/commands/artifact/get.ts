import { type Artifact, getArtifact } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { fingerprintPrefix, flowOf } from '../../resources/references.ts';
import { factsText, shortDigest, stateText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description: "Shows the verdict of the artifact in its flow, and where it runs. 'waymark why' shows the reasons.",
  examples: [
    { say: 'By the first digits of its fingerprint', run: 'waymark artifact get 8f05d73' },
    {
      say: 'Show the report to one flow and trail',
      run: 'waymark artifact get 8f05d73 --flow shop --in-trail release-1',
    },
  ],
  settings: ['flow'],
  build: (command) =>
    command
      .argument('<fingerprint>', 'fingerprint, or its first 5 or more digits')
      .option('--in-trail <name>', 'show the artifact as reported to this trail'),
  async run(session, [text], { inTrail }) {
    const org = session.need('org');
    const fingerprint = fingerprintPrefix(text);
    const artifact = await session.client().call(getArtifact, {
      params: { org, flow_name: await flowOf(session, fingerprint), fingerprint },
      query: given({ trail: inTrail }),
      signal: session.io.signal,
    });
    return {
      data: artifact,
      text: (style) =>
        factsText(`${stateText(artifact.state, style)}  ${style.strong(oneLine(artifact.filename))}`, [
          ['fingerprint', artifact.fingerprint],
          ['reason', artifact.state_info],
          ['flow', `${artifact.flow_name}/${artifact.trail_name}`],
          ['commit', artifact.git_commit && `${shortDigest(artifact.git_commit)} ${messageOf(artifact)}`],
          ['build', artifact.build_url],
          ['runs in', artifact.running.map(({ environment_name }) => environment_name).join(', ')],
          ['exited from', artifact.exited.map(({ environment_name }) => environment_name).join(', ')],
          ['reported', `${showTime(artifact.created_at, session)} by ${artifact.created_by}`],
        ]),
      page: session.pageOf(org, 'artifacts', artifact.fingerprint),
    };
  },
});

function messageOf({ git_commit_info: commit }: Artifact): string {
  return commit?.message?.split('\n')[0] ?? '';
}
