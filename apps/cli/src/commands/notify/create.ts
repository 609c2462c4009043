import { type EnvironmentTrigger, environmentTriggers, type FlowTrigger } from '@waymark/contract';
import { collect } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { putNotification, readNotification } from './put-notification.ts';
import { chatOption, emailOption, targetsOf, webhookOption } from './target-flags.ts';
import { collectTrigger, triggerHelp } from './triggers.ts';

export const command = defineCommand({
  description:
    'Sends a message to a webhook, a chat, or a mailbox when something happens in environments or flows. If a ' +
    'notification with that name and kind exists, the command replaces it.',
  examples: [
    {
      say: 'When production becomes non-compliant, and when it recovers',
      run: 'waymark notify create alerts --env production --on non-compliant --on compliant --email ops@example.org',
    },
    {
      say: 'Send evidence of a flow to a webhook',
      run: 'waymark notify create evidence --flow shop --on attestation --webhook https://hooks.example.org/waymark',
    },
    { say: 'From a file, which keeps the URL of a chat secret', run: 'waymark notify create -f notification.yml' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('[name]', 'name of the notification')
      .option('--env <name>', 'environment to watch; can be repeated', collect)
      .option('--flow <name>', 'flow to watch; can be repeated', collect)
      .option('--on <event>', triggerHelp, collectTrigger)
      .addOption(webhookOption())
      .addOption(chatOption())
      .addOption(emailOption())
      .option('-f, --file <file>', 'file with the notification (YAML or JSON), or - for standard input'),
  async run(session, [name], { file, env, flow, on = [], ...flags }) {
    if (file !== undefined) {
      const content = await readNotification(session, file);
      return putNotification(session, name === undefined ? content : { ...content, name });
    }
    if (name === undefined || name.trim() === '')
      throw usageError('The notification needs a name', 'Add NAME, or -f FILE');
    if ((env === undefined) === (flow === undefined)) {
      throw usageError(
        'The notification needs environments or flows to watch',
        'Add --env or --flow, but not both; each can be repeated',
      );
    }
    const targets = targetsOf(flags);
    if (targets.length === 0) throw usageError('No target is set', 'Add --webhook, --chat, or --email');
    if (on.length === 0) throw usageError('--on is missing', 'Add --on, for example --on non-compliant');
    requireKind(on, env !== undefined);
    return putNotification(
      session,
      env !== undefined
        ? { name, environments: env, triggers: on as EnvironmentTrigger[], targets }
        : { name, flows: flow ?? [], triggers: on as FlowTrigger[], targets },
    );
  },
});

export function requireKind(triggers: readonly string[], isOfEnvironments: boolean): void {
  const wrong = triggers.find((one) => (environmentTriggers as readonly string[]).includes(one) !== isOfEnvironments);
  if (wrong === undefined) return;
  const [has, other] = isOfEnvironments ? ['environments', 'flows'] : ['flows', 'environments'];
  throw usageError(
    `${wrong} is an event of ${other}, but this notification watches ${has}`,
    'Create two notifications',
  );
}
