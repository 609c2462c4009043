import { listReportOnlyPolicies, type ReportOnlyPolicy } from '@waymark/contract';
import { stateText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import type { Style } from '../../run/style.ts';

export const command = defineCommand({
  description:
    'Evaluates what runs now by the report-only policies of the environment, and says how to satisfy them. Exits with ' +
    '0 whatever the result, because it changes no verdict.',
  examples: [
    { say: 'Before you promote a policy', run: 'waymark env policies report prod' },
    {
      say: 'The failing artifacts',
      run: "waymark env policies report prod --jq '.policies[].failing[].artifact_name'",
    },
  ],
  build: (command) => command.argument('<env>', 'name of the environment'),
  async run(session, [name]) {
    const org = session.need('org');
    const report = await session
      .client()
      .call(listReportOnlyPolicies, { params: { org, env_name: name }, signal: session.io.signal });
    const cut = report.is_cut ? `\nOnly ${report.artifact_count} artifacts were evaluated.` : '';
    return {
      data: report,
      text: (style) =>
        report.policies.length === 0
          ? `Environment '${report.environment}' has no report-only policies.`
          : `${report.policies.map((policy) => policyText(policy, style)).join('\n')}${cut}`,
      page: session.pageOf(org, 'environments', report.environment, 'policies'),
    };
  },
});

function policyText(policy: ReportOnlyPolicy, style: Style): string {
  const { policy_name, version, status, compliant_count, non_compliant_count, waived_count, actions } = policy;
  const waived = waived_count === 0 ? '' : `, ${waived_count} waived`;
  return [
    `${stateText(status, style)}  ${style.strong(policy_name)} version ${version}, report-only: ` +
      `${compliant_count} compliant, ${non_compliant_count} non-compliant${waived}`,
    ...actions.map(({ fix, artifact_count }) => `  to do: ${fix} (${artifact_count})`),
  ].join('\n');
}
