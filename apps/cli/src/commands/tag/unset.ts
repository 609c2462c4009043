import { changeTags, taggable } from '../../resources/change-tags.ts';
import { outcomeOf } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description: 'Taking away a tag that is not there changes nothing.',
  examples: [{ say: 'Take a tag away', run: 'waymark tag unset env prod team' }],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<type>', taggable.join(', '))
      .argument('<name>', 'name of the flow, environment or repository; identifier of the control')
      .argument('<key...>', 'keys of the tags'),
  async run(session, [type, name, keys]) {
    return outcomeOf(
      session,
      { type, name, removed: keys },
      await changeTags(session, type, name, { remove_tags: keys }),
    );
  },
});
