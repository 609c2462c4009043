import { getTrustPolicy } from '@waymark/contract';
import { printOrSave } from '../../resources/print-or-save.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the trust policy that the service publishes: the key of its region log, and its witnesses. It says what the ' +
    'service claims. Compare it with what you got over another channel, such as the contract or the site of a witness, ' +
    'before you verify anything with it.',
  examples: [
    { say: 'Save it, then compare it', run: 'waymark ledger trust-policy --to trust.txt' },
    { say: 'Find out whether the keys changed', run: 'waymark ledger trust-policy | diff trust.txt -' },
  ],
  build: (command) =>
    command
      .option('--to <file>', 'file to write (default: standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, _, { to, force }) {
    const response = await session.client().download(getTrustPolicy, { signal: session.io.signal });
    const content = await response.text();
    const data = { trust_policy: content };
    return { data, text: printOrSave(session, content, { to, force }) };
  },
});
