import { given } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload, nameOf } from './add-workload.ts';

const ISSUER = 'https://token.actions.githubusercontent.com';

export const command = defineCommand({
  description:
    'Jobs of the repository get a 15-minute key in exchange for their OIDC token, so no secret is stored at GitHub. ' +
    'Both the id and the name of the repository are compared, because a name can be released and taken by another ' +
    'owner; with a wrong id, no job gets access.',
  examples: [
    {
      say: 'Jobs of the main branch',
      run: 'waymark trust add github acme/web --repository-id 1296269 --sa builder --branch main --scope evidence --flow web',
    },
    {
      say: 'Releases, from a protected environment',
      run: "waymark trust add github acme/web --repository-id 1296269 --sa releaser --tag 'v*' --environment production --scope evidence",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<repository>', 'OWNER/REPO')
      .option('--repository-id <id>', 'numeric id of the repository')
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption())
      .option('--branch <name>', 'only jobs of this branch; can end in *')
      .option('--tag <name>', 'only jobs of this tag; can end in *')
      .option('--environment <name>', 'only jobs that use this GitHub environment')
      .option('--workflow-ref <ref>', 'only this workflow, as in the workflow_ref claim')
      .option('--event <name>', 'only jobs started by this event, such as push')
      .option('--issuer <url>', 'issuer of GitHub Enterprise (default: the issuer of github.com)', ISSUER)
      .option('--name <name>', 'name of the workload identity'),
  async run(session, [repository], flags) {
    const { repositoryId, sa, branch, tag, environment, workflowRef, event, issuer, name } = flags;
    if (!/^[^/\s]+\/[^/\s]+$/.test(repository))
      throw usageError(`'${repository}' is not a repository name`, 'Use OWNER/REPO');
    if (repositoryId === undefined || !/^\d{1,20}$/.test(repositoryId)) {
      throw usageError(
        '--repository-id must be the numeric id of the repository',
        `'gh api repos/${repository} --jq .id' prints it`,
      );
    }
    if (branch !== undefined && tag !== undefined)
      throw usageError('--branch and --tag cannot be combined', 'Add one workload identity for each');
    if (branch === undefined && tag === undefined && environment === undefined) {
      session.warn(
        'This accepts jobs of every branch, so anyone who can push gets access. Restrict it with --branch, --tag, or --environment',
      );
    }
    return addWorkload(session, {
      name: name ?? nameOf(repository, branch ?? tag, environment),
      service_account: sa,
      scope: scopeOf(flags),
      issuer,
      claims: given({
        repository_id: repositoryId,
        repository,
        ref: refOf(branch, tag),
        environment,
        workflow_ref: workflowRef,
        event_name: event,
      }),
    });
  },
});

function refOf(branch: string | undefined, tag: string | undefined): string | undefined {
  if (branch !== undefined) return `refs/heads/${branch}`;
  return tag === undefined ? undefined : `refs/tags/${tag}`;
}
