import { attestJira } from '@waymark/contract';
import { attestSettings, collect, commitOf, withAttestFlags } from '../../evidence/attest-flags.ts';
import { commitInfo } from '../../evidence/build-facts.ts';
import { findIssue, issuesIn, type JiraSite, jiraSite } from '../../evidence/jira.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'Issues are taken from the message of the commit and the name of the branch, unless they are given. Each is looked ' +
    'for in Jira, with JIRA_URL, JIRA_TOKEN and, in the cloud, JIRA_USER. Compliant when there is one and all exist.',
  examples: [
    { say: 'What the commit refers to, of one project', run: 'waymark attest jira --project SHOP' },
    { say: 'Issues by name, without asking Jira', run: 'waymark attest jira SHOP-12 SHOP-13 --assume-exists' },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('[issue...]', 'issues such as SHOP-12'))
      .option('--project <key>', 'only issues of this project; can be repeated', collect, [] as string[])
      .option('--jira-url <url>', 'address of Jira; JIRA_URL unless given')
      .option('--assume-exists', 'do not ask Jira: take it that they exist'),
  async run(session, [given], { project, jiraUrl, assumeExists, ...flags }) {
    const site = assumeExists ? undefined : jiraSite(session, jiraUrl);
    const issues = given.length > 0 ? issuesIn(given.join('\n'), []) : referred(session, flags.commit, project);
    const jira_results = await Promise.all(issues.map((issue) => resultOf(session, issue, site)));
    if (issues.length === 0) session.warn('No issue was found, neither in the message of the commit nor in the branch');
    return attestOne(session, attestJira, { flags, otherwise: 'jira', body: { jira_results }, kind: 'jira' });
  },
});

function referred(session: Session, commit: string | undefined, projects: readonly string[]): string[] {
  const { git_commit_info: info } = commitInfo(session, commitOf(session, commit));
  return issuesIn(`${info?.message ?? ''}\n${info?.branch ?? ''}`, projects);
}

async function resultOf(session: Session, issue: string, site: JiraSite | undefined): Promise<object> {
  return site ? findIssue(session, site, issue) : { issue_id: issue, issue_exists: true };
}
