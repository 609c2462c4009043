import { collect, readPairs } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload } from './add-workload.ts';

export const command = defineCommand({
  description:
    'For any issuer of OpenID Connect tokens. Claims must match exactly. One of them must identify the owner of the ' +
    'job by an id, such as sub.',
  examples: [
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
