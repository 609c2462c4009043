import { given } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload, nameOf } from './add-workload.ts';

export const command = defineCommand({
  description:
    'Jobs of the project get a key for 15 minutes by their identity; nothing secret is stored at GitLab. The id is ' +
    'needed besides the path, because a path can be given up and taken by somebody else. Both are compared.',
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
      .option('--project-id <id>', 'its number')
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption())
      .option('--branch <name>', 'only jobs of this branch; may end in *')
      .option('--tag <name>', 'only jobs of this tag; may end in *')
      .option('--protected', 'only jobs of branches and tags that are protected')
      .option('--environment <name>', 'only jobs of this environment of GitLab')
      .option('--issuer <url>', 'your own GitLab', 'https://gitlab.com')
      .option('--name <name>', 'what it is called here'),
  async run(session, [project], flags) {
    const { projectId, sa, branch, tag, environment, issuer, name } = flags;
    if (!/^[^/\s]+(\/[^/\s]+)+$/.test(project)) throw usageError(`'${project}' is not a project`, 'Give GROUP/PROJECT');
    if (projectId === undefined || !/^\d{1,20}$/.test(projectId)) {
      throw usageError('--project-id must be the number of the project', 'The page of the project at GitLab shows it');
    }
    if (branch !== undefined && tag !== undefined)
      throw usageError('Give --branch or --tag, not both', 'Add two, one for each');
    if (!branch && !tag && !environment && !flags.protected) {
      session.warn(
        'Jobs of every branch are let in: whoever may push to one. --branch, --tag or --protected narrows it',
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
