import { collect, readPairs } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload } from './add-workload.ts';

export const command = defineCommand({
  description:
    'For any issuer of OpenID Connect tokens. Claims must match exactly. One of them must identify the owner of the job ' +
    'by an id: repositoryUuid or workspaceUuid for Bitbucket, oidc.circleci.com/project-id or ' +
    'oidc.circleci.com/org-id for CircleCI, or sub for others.',
  examples: [
    {
      say: 'A Bitbucket repository',
      run:
        'waymark trust add issuer web --issuer https://api.bitbucket.org/2.0/workspaces/acme/pipelines-config/identity/oidc ' +
        "--claim 'repositoryUuid={1b2c3d4e-5f60-4718-92a3-b4c5d6e7f809}' --sa builder --scope evidence",
    },
    {
      say: 'A CircleCI project',
      run:
        'waymark trust add issuer web --issuer https://oidc.circleci.com/org/9f8e7d6c-5b4a-4938-8271-605f4e3d2c1b ' +
        '--claim oidc.circleci.com/project-id=0a1b2c3d-4e5f-4607-8192-a3b4c5d6e7f8 --sa builder --scope evidence',
    },
    {
      say: 'A self-hosted CI system',
      run: 'waymark trust add issuer deploys --issuer https://ci.example.com --claim sub=pipeline-7 --sa builder --scope evidence',
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the workload identity')
      .requiredOption('--issuer <url>', 'issuer URL, exactly as in the iss claim of its tokens')
      .requiredOption(
        '--claim <name=value>',
        'required claim of the token; can be repeated, and all must match',
        collect,
      )
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption()),
  async run(session, [name], { issuer, claim, sa, ...limits }) {
    const claims = readPairs('--claim', claim);
    return addWorkload(session, { name, service_account: sa, issuer, claims, scope: scopeOf(limits) });
  },
});
