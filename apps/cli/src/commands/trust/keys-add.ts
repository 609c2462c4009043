import { addTrustedKey } from '@waymark/contract';
import { collect, given } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { noteDryRun, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'From now on, the org accepts statements signed with this key.',
  examples: [{ say: 'A public key', run: 'waymark trust keys add release cosign.pub' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the key')
      .argument('<file>', 'file with the public key (PEM), or - for standard input')
      .option('--flow <name>', 'trust it in this flow only; can be repeated', collect),
  async run(session, [name, file], { flow: flows }) {
    const text = await readInput(session, file);
    // The service would refuse it as well, but then it would have left the machine.
    if (/PRIVATE KEY/.test(text)) throw usageError(`${file} is a private key`, 'Use the public key; nothing was sent');
    const key = await session.client().call(addTrustedKey, {
      params: { org: session.need('org') },
      body: given({ name, public_key: text, flows }),
      ...writing(session),
    });
    noteDryRun(session);
    return { data: key, text: `Key '${key.name}' (${key.algorithm}) is trusted` };
  },
});
