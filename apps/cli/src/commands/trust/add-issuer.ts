import { collect, readPairs } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption } from '../../resources/scope-options.ts';
import { defineCommand } from '../../run/command.ts';
import { accountOption, addWorkload } from './add-workload.ts';

export const command = defineCommand({
  description:
    'For any issuer of OpenID Connect tokens. Claims are compared as a whole. One of them must say by an id whose job ' +
    'it is, such as sub.',
  examples: [
    {
      say: 'A CI system of your own',
      run: 'waymark trust add issuer deploys --issuer https://ci.example.com --claim sub=pipeline-7 --sa builder --scope evidence',
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'what it is called here')
      .requiredOption('--issuer <url>', 'as the claim iss of its tokens has it, to the letter')
      .requiredOption('--claim <name=value>', 'what a token must say; can be repeated, and then all must hold', collect)
      .addOption(accountOption())
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption()),
  async run(session, [name], { issuer, claim, sa, ...limits }) {
    const claims = readPairs('--claim', claim);
    return addWorkload(session, { name, service_account: sa, issuer, claims, scope: scopeOf(limits) });
  },
});
