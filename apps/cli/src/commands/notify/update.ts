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
    'What is watched and when is replaced by what is given; targets are added, or removed by their id. What is not ' +
    'given stays. A target that was given up is used again.',
  examples: [
    { say: 'Watch one more environment', run: 'waymark notify update alerts --env production --env staging' },
    { say: 'Tell one more mailbox', run: 'waymark notify update alerts --email lead@example.org' },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<notification>', 'its name or number')
      .option('--name <name>', 'another name; for those that watch environments')
      .option('--env <name>', 'an environment to watch; can be repeated', collect)
      .option('--flow <name>', 'a flow to watch; can be repeated', collect)
      .option('--on <event>', triggerHelp, collectTrigger)
      .addOption(webhookOption())
      .addOption(chatOption())
      .addOption(emailOption())
      .option('--remove-target <id>', 'a target that is told no more; can be repeated', collect)
      .option('--use-again', 'change nothing, but use targets again that were given up'),
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
  if (isOfEnvironments && flow !== undefined) throw usageError('It watches environments, not flows', 'Give --env');
  if (!isOfEnvironments && env !== undefined) throw usageError('It watches flows, not environments', 'Give --flow');
  if (!isOfEnvironments && name !== undefined) {
    throw usageError('One that watches flows keeps its name', 'Create another one, and delete this');
  }
}

function remainingTargets({ targets }: Action, removed: readonly string[]): TargetInput[] {
  const unknown = removed.find((id) => !targets.some((target) => target.id === id));
  if (unknown !== undefined) {
    throw new CliError('notFound', `It has no target '${unknown}'`, { fix: "'waymark notify get' shows their ids" });
  }
  return targets.filter(({ id }) => !removed.includes(id)) as TargetInput[];
}
