import { getPolicy } from '@waymark/contract';
import { rawText } from '../../resources/raw-text.ts';
import { factsText } from '../../resources/show.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';

export const command = defineCommand({
  description: 'Shows the environments and the version history of the policy. With --text, prints the policy itself.',
  examples: [
    { say: 'One policy', run: 'waymark policy get prod-release' },
    { say: 'Save its text to a file', run: 'waymark policy get prod-release --text > prod-release.yml' },
  ],
  build: (command) =>
    command
      .argument('<name>', 'name of the policy')
      .option('--text', 'print the text of the newest version')
      .option('--of-version <number>', 'show this version', Number),
  async run(session, [name], { text, ofVersion }) {
    const org = session.need('org');
    const policy = await session.client().call(getPolicy, { params: { org, name }, signal: session.io.signal });
    const newest = policy.versions.at(-1);
    const chosen = ofVersion === undefined ? newest : policy.versions.find(({ version }) => version === ofVersion);
    if (!chosen) {
      throw new CliError('notFound', `Policy '${name}' has no version ${ofVersion}`, {
        why: `Its newest version is ${newest?.version ?? 0}`,
      });
    }
    const page = session.pageOf(org, 'policies', policy.name);
    if (text) return { data: chosen, text: rawText(session, chosen.policy_yaml), page };
    return {
      data: policy,
      text: (style) =>
        factsText(`${style.strong(policy.name)} version ${chosen.version}${policy.archived ? ' (archived)' : ''}`, [
          ['description', policy.description],
          ['environments', policy.consuming_envs.join(', ') || "none: 'waymark env policies attach ENV POLICY'"],
          ['report-only in', policy.report_only_envs.join(', ')],
          ...policy.versions
            .toReversed()
            .map(({ version, timestamp, created_by, comment }): [string, string] => [
              `version ${version}`,
              `${showTime(timestamp, session)} by ${created_by}${comment ? `: ${comment}` : ''}`,
            ]),
        ]),
      page,
    };
  },
});
