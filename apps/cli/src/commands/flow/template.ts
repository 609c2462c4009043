import { getFlow, putFlow } from '@waymark/contract';
import { rawText } from '../../resources/raw-text.ts';
import { readInput } from '../../resources/read-input.ts';
import { unifiedDiff } from '../../resources/unified-diff.ts';
import { outcomeOf, putOf, writing } from '../../resources/write.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Prints the template. With --file, replaces it; existing trails keep the template they began with. --dry-run ' +
    'checks a file, and --diff shows what would change.',
  examples: [
    { say: 'Save it to a file', run: 'waymark flow template shop > template.yml' },
    { say: 'Check a file', run: 'waymark flow template shop --file template.yml --dry-run' },
    { say: 'Replace it', run: 'waymark flow template shop --file template.yml' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the flow')
      .option('-f, --file <file>', 'file with the new template (YAML), or - for standard input')
      .option('--diff', 'show how the file differs from the template, without changing it'),
  async run(session, [name], { file, diff }) {
    const org = session.need('org');
    const { client, io } = session;
    const flow = await client().call(getFlow, { params: { org, flow_name: name }, signal: io.signal });
    const current = [flow.template].flat().join('\n');
    const page = session.pageOf(org, 'flows', flow.name, 'template');
    if (file === undefined) {
      if (diff) throw usageError('--diff needs a file', 'Add --file FILE');
      if (current === '') session.say(`Flow '${flow.name}' has no template: nothing is required of its trails`);
      return { data: { name: flow.name, template: flow.template }, text: rawText(session, current), page };
    }
    const template = await readInput(session, file);
    if (diff) {
      const text = unifiedDiff(current, template, { before: flow.name, after: file });
      return { data: { name: flow.name, diff: text }, text: rawText(session, text) };
    }
    const body = { name: flow.name, template };
    const message = await client().call(putFlow, { params: { org }, body, ...writing(session) });
    return { ...outcomeOf(session, { name: flow.name, outcome: putOf(message) }, message), page };
  },
});
