import { given } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload, nameOf } from './add-workload.ts';

export const command = defineCommand({
  description:
    'Jobs of the project get a 15-minute key in exchange for their OIDC token, so no secret is stored at GitLab. ' +
    'Both the id and the path of the project are compared, because a path can be released and taken by another owner.',
  examples: [
    {
      say: 'Jobs of the main branch, if it is protected',
      run: 'waymark trust add gitlab acme/web --project-id 278964 --sa builder --branch main --protected --scope evidence --flow web',
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<project>', 'GROUP/PROJECT')
      .option('--project-id <id>', 'numeric id of the project')
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption())
      .option('--branch <name>', 'only jobs of this branch; can end in *')
      .option('--tag <name>', 'only jobs of this tag; can end in *')
      .option('--protected', 'only jobs of protected branches and tags')
      .option('--environment <name>', 'only jobs that use this GitLab environment')
      .option('--issuer <url>', 'issuer of a self-hosted GitLab', 'https://gitlab.com')
      .option('--name <name>', 'name of the workload identity'),
  async run(session, [project], flags) {
    const { projectId, sa, branch, tag, environment, issuer, name } = flags;
    if (!/^[^/\s]+(\/[^/\s]+)+$/.test(project))
      throw usageError(`'${project}' is not a project path`, 'Use GROUP/PROJECT');
    if (projectId === undefined || !/^\d{1,20}$/.test(projectId)) {
      throw usageError('--project-id must be the number of the project', 'The project page at GitLab shows it');
    }
    if (branch !== undefined && tag !== undefined)
      throw usageError('--branch and --tag cannot be combined', 'Add one workload identity for each');
    if (!branch && !tag && !environment && !flags.protected) {
      session.warn(
        'This accepts jobs of every branch, so anyone who can push gets access. Restrict it with --branch, --tag, or --protected',
      );
    }
    return addWorkload(session, {
      name: name ?? nameOf(project, branch ?? tag, environment),
      service_account: sa,
      scope: scopeOf(flags),
      issuer: issuer.replace(/\/+$/, ''),
      claims: given({
        project_id: projectId,
        project_path: project,
        ref: branch ?? tag,
        // GitLab sends the bare name, and a tag may have the name of a branch.
        ref_type: refTypeOf(branch, tag),
        ref_protected: flags.protected ? 'true' : undefined,
        environment,
      }),
    });
  },
});

function refTypeOf(branch: string | undefined, tag: string | undefined): string | undefined {
  if (branch !== undefined) return 'branch';
  return tag === undefined ? undefined : 'tag';
}
