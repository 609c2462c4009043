import { type EnvironmentTrigger, environmentTriggers, type FlowTrigger } from '@waymark/contract';
import { collect } from '../../resources/options.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { putNotification, readNotification } from './put-notification.ts';
import { chatOption, emailOption, targetsOf, webhookOption } from './target-flags.ts';
import { collectTrigger, triggerHelp } from './triggers.ts';

export const command = defineCommand({
  description:
    'Tells a program, a chat or a mailbox what happens in environments or in flows. When there is one of that name and ' +
    'kind, it becomes as given here.',
  examples: [
    {
      say: 'When production is not compliant, and when it is again',
      run: 'waymark notify create alerts --env production --on non-compliant --on compliant --email ops@example.org',
    },
    {
      say: 'Evidence of a flow, to a program',
      run: 'waymark notify create evidence --flow shop --on attestation --webhook https://hooks.example.org/waymark',
    },
    { say: 'From a file, which keeps the URL of a chat secret', run: 'waymark notify create -f notification.yml' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('[name]', 'what it is called')
      .option('--env <name>', 'an environment to watch; can be repeated', collect)
      .option('--flow <name>', 'a flow to watch; can be repeated', collect)
      .option('--on <event>', triggerHelp, collectTrigger)
      .addOption(webhookOption())
      .addOption(chatOption())
      .addOption(emailOption())
      .option('-f, --file <file>', 'all of it, YAML or JSON; - is standard input'),
  async run(session, [name], { file, env, flow, on = [], ...flags }) {
    if (file !== undefined) {
      const content = await readNotification(session, file);
      return putNotification(session, name === undefined ? content : { ...content, name });
    }
    if (name === undefined || name.trim() === '')
      throw usageError('The notification needs a name', 'Give NAME, or -f FILE');
    if ((env === undefined) === (flow === undefined)) {
      throw usageError(
        'It must watch environments or flows',
        'Give --env or --flow, one of the two, as often as needed',
      );
    }
    const targets = targetsOf(flags);
    if (targets.length === 0) throw usageError('Nobody is told', 'Give --webhook, --chat or --email');
    if (on.length === 0) throw usageError('It is not said when', 'Give --on, for example --on non-compliant');
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
  throw usageError(`${wrong} is about ${other}, and this notification watches ${has}`, 'Make two notifications');
}
