import { createServiceAccountKey } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { envsOption, flowsOption, scopeOf, scopeOption, scopeText } from '../../resources/scope-options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { endText, expiresOption, expiryOf, limitedText, ownerText } from './key-options.ts';

export const command = defineCommand({
  description:
    'Prints the key once; Waymark does not store it. Everything else goes to standard error. The new key expires no ' +
    'later than the key you use. With --scope, the key can do less than its service account; a key with a scope ' +
    'cannot create keys. Create personal keys in the browser, on the page /account.',
  examples: [
    {
      say: 'For a pipeline that reports evidence into one flow, for 90 days',
      run: "waymark key create 'shop pipeline' --sa builder --scope evidence --flow shop --expires 90d",
    },
    {
      say: 'For the reporter of one environment',
      run: 'waymark key create reporter --sa reporter --scope snapshot --env prod',
    },
    { say: 'Store it in a variable', run: "KEY=$(waymark key create 'nightly' --sa builder --expires 30d)" },
  ],
  build: (command) =>
    command
      .argument('<description>', 'purpose of the key')
      .option('--sa <name>', 'service account to create the key for (required)')
      .addOption(scopeOption())
      .addOption(flowsOption())
      .addOption(envsOption())
      .addOption(expiresOption()),
  async run(session, [description], { sa, expires, ...limits }) {
    if (description.trim() === '') throw usageError('The description is empty', 'Describe what the key is for');
    if (sa === undefined) {
      throw usageError(
        'An API key cannot create a personal key',
        "Create one in the browser, on the page /account, or name a service account with '--sa'",
      );
    }
    const body = given({ description, expires_at: expiryOf(session, expires), scope: scopeOf(limits) });
    const { signal } = session.io;
    const params = { org: session.need('org'), name: sa };
    const created = await session.client().call(createServiceAccountKey, { params, body, signal });
    session.say(`Key ${created.id}${ownerText(sa)} created; expires: ${endText(session, created.expires_at)}`);
    if (created.scope) session.say(`Scope: ${scopeText(created.scope)}`);
    if (created.expiry_limited) session.say(limitedText);
    session.say('The key is shown only once');
    return { data: created, text: created.key };
  },
});
