import { getStatementKeys } from '@waymark/contract';
import { printOrSave } from '../../resources/print-or-save.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the public keys with which the service signs verdicts, in PEM, newest first. It says what the service ' +
    'claims: compare it with what you got over another channel before you rely on it.',
  examples: [{ say: 'Save them, then compare them', run: 'waymark vsa keys --to waymark.pem' }],
  build: (command) =>
    command
      .option('--to <file>', 'file to write (default: standard output)')
      .option('--force', 'overwrite an existing file'),
  async run(session, _, { to, force }) {
    const response = await session.client().download(getStatementKeys, { signal: session.io.signal });
    const content = await response.text();
    const data = { statement_keys: content };
    return { data, text: printOrSave(session, content, { to, force }) };
  },
});
