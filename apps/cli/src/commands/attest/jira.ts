import { attestJira } from '@waymark/contract';
import { attestSettings, collect, commitOf, withAttestFlags } from '../../evidence/attest-flags.ts';
import { commitInfo } from '../../evidence/build-facts.ts';
import { findIssue, issuesIn, type JiraSite, jiraSite } from '../../evidence/jira.ts';
import { attestOne } from '../../evidence/record-attestation.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

export const command = defineCommand({
  description:
    'Takes issue keys from the arguments, or else from the commit message and the branch name. Looks each of them up ' +
    'in Jira, with JIRA_URL, JIRA_TOKEN, and, for Jira Cloud, JIRA_USER. Compliant if there is at least one issue ' +
    'and all of them exist.',
  examples: [
    { say: 'Issues of one project that the commit refers to', run: 'waymark attest jira --project SHOP' },
    { say: 'Issues by key, without a request to Jira', run: 'waymark attest jira SHOP-12 SHOP-13 --assume-exists' },
  ],
  settings: attestSettings,
  build: (command) =>
    withAttestFlags(command.argument('[issue...]', 'issue keys such as SHOP-12'))
      .option('--project <key>', 'only issues of this project; can be repeated', collect, [] as string[])
      .option('--jira-url <url>', 'URL of Jira (default: $JIRA_URL)')
      .option('--assume-exists', 'skip the lookup and assume that the issues exist'),
  async run(session, [given], { project, jiraUrl, assumeExists, ...flags }) {
    const site = assumeExists ? undefined : jiraSite(session, jiraUrl);
    const issues = given.length > 0 ? issuesIn(given.join('\n'), []) : referred(session, flags.commit, project);
    const jira_results = await Promise.all(issues.map((issue) => resultOf(session, issue, site)));
    if (issues.length === 0) session.warn('No issue key found in the commit message or the branch name');
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
