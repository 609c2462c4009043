import { createServiceAccountKey, createUserKey } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { endText, expiresOption, expiryOf, ownerText, saOption } from './key-options.ts';

export const command = defineCommand({
  description: 'Prints the text of the key, this once: it is stored nowhere. Everything else goes to standard error.',
  examples: [
    { say: 'For a service account, for 90 days', run: "waymark key create 'deploys' --sa builder --expires 90d" },
    { say: 'Into a variable', run: 'KEY=$(waymark key create laptop --expires 30d)' },
  ],
  build: (command) =>
    command.argument('<description>', 'what it is for').addOption(saOption()).addOption(expiresOption()),
  async run(session, [description], { sa, expires }) {
    if (description.trim() === '') throw usageError('The description is empty', 'Say what the key is for');
    const body = given({ description, expires_at: expiryOf(session, expires) });
    const { signal } = session.io;
    const created =
      sa === undefined
        ? await session.client().call(createUserKey, { body, signal })
        : await session
            .client()
            .call(createServiceAccountKey, { params: { org: session.need('org'), name: sa }, body, signal });
    session.say(`Key ${created.id}${ownerText(sa)} was made; it expires: ${endText(session, created.expires_at)}`);
    session.say('It is shown now, and never again');
    return { data: created, text: created.key };
  },
});
