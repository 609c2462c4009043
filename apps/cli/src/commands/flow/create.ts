import { putFlow } from '@waymark/contract';
import { given } from '../../resources/options.ts';
import { readInput } from '../../resources/read-input.ts';
import { outcomeOf, putOf, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'If a flow with that name exists, only the given values change. Running the command again changes nothing.',
  examples: [
    { say: 'A flow that requires nothing yet', run: 'waymark flow create shop' },
    { say: 'With a template', run: "waymark flow create shop --template template.yml --description 'Builds the shop'" },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<name>', 'name of the flow')
      .option('--description <text>', 'description of the flow')
      .option('--template <file>', 'template file (YAML), or - for standard input')
      .option('--visibility <who>', 'private or public')
      .option('--repo-url <url>', 'URL of its source repository'),
  async run(session, [name], { description, template, visibility, repoUrl }) {
    const org = session.need('org');
    const message = await session.client().call(putFlow, {
      params: { org },
      body: given({
        name,
        description,
        visibility: visibility as 'private' | undefined,
        template: template === undefined ? undefined : await readInput(session, template),
        repo_url: repoUrl,
      }),
      ...writing(session),
    });
    const outcome = outcomeOf(session, { name, outcome: putOf(message) }, message);
    return { ...outcome, page: session.pageOf(org, 'flows', name) };
  },
});
