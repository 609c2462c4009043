import type { Action, EnvironmentTrigger, FlowTrigger, TargetInput } from '@waymark/contract';
import { collect, given } from '../../resources/options.ts';
import { requireChange } from '../../resources/write.ts';
import { CliError, usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import { requireKind } from './create.ts';
import { findNotification } from './find-notification.ts';
import { putNotification } from './put-notification.ts';
import { chatOption, emailOption, targetsOf, webhookOption } from './target-flags.ts';
import { collectTrigger, triggerHelp } from './triggers.ts';

export const command = defineCommand({
  description:
    '--env, --flow, and --on replace the existing values; targets are added, or removed by id. Omitted values stay ' +
    'unchanged. Waymark enables disabled targets again.',
  examples: [
    { say: 'Watch two environments', run: 'waymark notify update alerts --env production --env staging' },
    { say: 'Add a mailbox', run: 'waymark notify update alerts --email lead@example.org' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<notification>', 'name or number of the notification')
      .option('--name <name>', 'new name; only for notifications that watch environments')
      .option('--env <name>', 'environment to watch; can be repeated', collect)
      .option('--flow <name>', 'flow to watch; can be repeated', collect)
      .option('--on <event>', triggerHelp, collectTrigger)
      .addOption(webhookOption())
      .addOption(chatOption())
      .addOption(emailOption())
      .option('--remove-target <id>', 'id of a target to remove; can be repeated', collect)
      .option('--use-again', 'enable disabled targets without other changes'),
  async run(session, [asked], { name, env, flow, on, removeTarget = [], useAgain, ...flags }) {
    const added = targetsOf(flags);
    const givenTargets = added.length + removeTarget.length > 0 && { added, removeTarget };
    if (!useAgain) requireChange({ ...given({ name, env, flow, on }), ...givenTargets }, 'notify update');
    const before = await findNotification(session, asked);
    const isOfEnvironments = before.type === 'env';
    requireFitting(isOfEnvironments, { name, env, flow });
    requireKind(on ?? [], isOfEnvironments);
    const targets = [...remainingTargets(before, removeTarget), ...added];
    const after =
      before.type === 'env'
        ? {
            name: name ?? before.name,
            environments: env ?? before.environments,
            triggers: (on as EnvironmentTrigger[] | undefined) ?? before.triggers,
            targets,
          }
        : {
            name: before.name,
            flows: flow ?? before.flows,
            triggers: (on as FlowTrigger[] | undefined) ?? before.triggers,
            targets,
          };
    return putNotification(session, after, before);
  },
});

function requireFitting(
  isOfEnvironments: boolean,
  { name, env, flow }: { name: unknown; env: unknown; flow: unknown },
): void {
  if (isOfEnvironments && flow !== undefined)
    throw usageError('This notification watches environments, not flows', 'Use --env');
  if (!isOfEnvironments && env !== undefined)
    throw usageError('This notification watches flows, not environments', 'Use --flow');
  if (!isOfEnvironments && name !== undefined) {
    throw usageError('A notification that watches flows cannot be renamed', 'Create a new one, and delete this one');
  }
}

function remainingTargets({ targets }: Action, removed: readonly string[]): TargetInput[] {
  const unknown = removed.find((id) => !targets.some((target) => target.id === id));
  if (unknown !== undefined) {
    throw new CliError('notFound', `This notification has no target '${unknown}'`, {
      fix: "Run 'waymark notify get' to see the ids",
    });
  }
  return targets.filter(({ id }) => !removed.includes(id)) as TargetInput[];
}
