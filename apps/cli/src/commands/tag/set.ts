import { changeTags, taggable } from '../../resources/change-tags.ts';
import { readPairs } from '../../resources/options.ts';
import { outcomeOf } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Other tags stay unchanged. Policies can read tags, so verdicts can change.',
  examples: [{ say: 'Two tags of an environment', run: 'waymark tag set env prod stage=prod team=shop' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<type>', taggable.join(', '))
      .argument('<name>', 'name of the flow, environment, or repository; identifier of the control')
      .argument('<key=value...>', 'the tags'),
  async run(session, [type, name, pairs]) {
    const tags = readPairs('A tag', pairs);
    return outcomeOf(session, { type, name, tags }, await changeTags(session, type, name, { set_tags: tags }));
  },
});
