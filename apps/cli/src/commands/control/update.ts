import { getControl, updateControl } from '@waymark/contract';
import { collect, given, readPairs } from '../../resources/options.ts';
import { contentOf } from '../../resources/put-control.ts';
import { sameJson } from '../../resources/same-json.ts';
import { inWords, noteDryRun, requireChange, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Changes only the given values. --link replaces all existing links.',
  examples: [{ say: 'Change the name', run: "waymark control update SDLC-7 --name 'Review by another'" }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<identifier>', 'identifier of the control')
      .option('--name <text>', 'display name')
      .option('--description <text>', 'what the control requires')
      .option('--clear-description', 'remove the description')
      .option('--link <label=url>', 'link to more information; can be repeated', collect),
  async run(session, [identifier], { name, description, clearDescription, link }) {
    const params = { org: session.need('org'), identifier };
    const body = given({
      name,
      description: clearDescription ? '' : description,
      links: link && readPairs('--link', link),
    });
    requireChange(body, 'control update');
    const { client, io } = session;
    const before = await client().call(getControl, { params, signal: io.signal });
    const control = await client().call(updateControl, { params, body, ...writing(session) });
    noteDryRun(session);
    const isSame = sameJson(contentOf(before), contentOf(control));
    return { data: control, text: inWords(session, `Control '${identifier}' ${isSame ? 'unchanged' : 'updated'}`) };
  },
});
