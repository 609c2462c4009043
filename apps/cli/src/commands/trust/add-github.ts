import { given } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload, nameOf } from './add-workload.ts';

const ISSUER = 'https://token.actions.githubusercontent.com';

export const command = defineCommand({
  description:
    'Jobs of the repository get a key for 15 minutes by their identity; nothing secret is stored at GitHub. The id is ' +
    'needed besides the name, because a name can be given up and taken by somebody else. Both are compared, so a ' +
    'wrong id lets nobody in.',
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
      .option('--repository-id <id>', 'its number')
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption())
      .option('--branch <name>', 'only jobs of this branch; may end in *')
      .option('--tag <name>', 'only jobs of this tag; may end in *')
      .option('--environment <name>', 'only jobs that use this environment of GitHub')
      .option('--workflow-ref <ref>', 'only this workflow, as the claim workflow_ref has it')
      .option('--event <name>', 'only jobs started by this event, such as push')
      .option('--issuer <url>', 'of GitHub Enterprise; that of github.com unless given', ISSUER)
      .option('--name <name>', 'what it is called here'),
  async run(session, [repository], flags) {
    const { repositoryId, sa, branch, tag, environment, workflowRef, event, issuer, name } = flags;
    if (!/^[^/\s]+\/[^/\s]+$/.test(repository))
      throw usageError(`'${repository}' is not a repository`, 'Give OWNER/REPO');
    if (repositoryId === undefined || !/^\d{1,20}$/.test(repositoryId)) {
      throw usageError(
        '--repository-id must be the number of the repository',
        `'gh api repos/${repository} --jq .id' prints it`,
      );
    }
    if (branch !== undefined && tag !== undefined)
      throw usageError('Give --branch or --tag, not both', 'Add two, one for each');
    if (branch === undefined && tag === undefined && environment === undefined) {
      session.warn(
        'Jobs of every branch are let in: whoever may push to one. --branch, --tag or --environment narrows it',
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
