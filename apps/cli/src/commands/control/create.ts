import { collect, given, readPairs } from '../../resources/options.ts';
import { sendControl } from '../../resources/put-control.ts';
import { inWords, noteDryRun } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'If a control with that identifier exists, only the given values change. Running the command again changes ' +
    'nothing. Identifiers are never reused.',
  examples: [
    { say: 'A control', run: "waymark control create SDLC-7 --name 'Independent review'" },
    {
      say: 'With a link to more information',
      run: "waymark control create SDLC-7 --name 'Independent review' --link runbook=https://example.com/sdlc-7",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .requiredOption('--name <text>', 'display name')
      .option('--description <text>', 'what the control requires')
      .option('--link <label=url>', 'link to more information; can be repeated', collect),
  async run(session, [identifier], { name, description, link }) {
    const change = { name, ...given({ description, links: link && readPairs('--link', link) }) };
    const { put, control } = await sendControl(session, identifier, change, session.settings.dryRun === true);
    noteDryRun(session);
    return {
      data: control,
      text: inWords(session, `Control '${identifier}' ${put}`),
      page: session.pageOf(session.need('org'), 'controls', identifier),
    };
  },
});
