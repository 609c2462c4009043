import { getFlow, putFlow } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { outcomeOf, putOf, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Changes only the given values.',
  examples: [
    { say: 'Change the template', run: 'waymark flow update shop --template template.yml' },
    { say: 'Change the description', run: "waymark flow update shop --description 'Builds the shop'" },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the flow')
      .option('--description <text>', 'description of the flow')
      .option('--clear-description', 'remove the description')
      .option('--template <file>', 'template file (YAML), or - for standard input')
      .option('--visibility <who>', 'private or public')
      .option('--repo-url <url>', 'URL of its source repository'),
  async run(session, [name], { description, clearDescription, template, visibility, repoUrl }) {
    const org = session.need('org');
    const change = given({
      description: clearDescription ? '' : description,
      visibility: visibility as 'private' | undefined,
      template: template === undefined ? undefined : await readInput(session, template),
      repo_url: repoUrl,
    });
    requireChange(change, 'flow update');
    const { client, io } = session;
    // A PUT would create a flow for an unknown name.
    const flow = await client().call(getFlow, { params: { org, flow_name: name }, signal: io.signal });
    const body = { name: flow.name, ...change };
    const message = await client().call(putFlow, { params: { org }, body, ...writing(session) });
    return outcomeOf(session, { name: flow.name, outcome: putOf(message) }, message);
  },
});
