import { ApiError } from '@waymark/client';
import { archivePolicy } from '@waymark/contract';
import { currentPolicy } from '../../resources/put-policy.ts';
import { confirmed, outcomeOf, writing } from '../../resources/write.ts';
import { CliError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';

const SHOWN = 20;

export const command = defineCommand({
  description:
    'Hides the policy and frees its name. Past verdicts stay. Detach the policy from its environments first.',
  examples: [{ say: 'Skip the confirmation prompt', run: 'waymark policy archive prod-release --yes' }],
  settings: ['yes', 'dryRun'],
  build: (command) => command.argument('<name>', 'name of the policy'),
  async run(session, [name]) {
    await confirmed(session, `This permanently archives the policy '${name}'`);
    const message = await session
      .client()
      .call(archivePolicy, { params: { org: session.need('org'), name }, ...writing(session) })
      .catch((error: unknown) => throwWithDetach(session, error, name));
    return outcomeOf(session, { name }, message);
  },
});

async function throwWithDetach(session: Session, error: unknown, name: string): Promise<never> {
  if (!(error instanceof ApiError) || error.status !== 409) throw error;
  // Only to name them; if that fails too, the refusal is what counts.
  const policy = await currentPolicy(session, name).catch(() => undefined);
  const environments = policy?.consuming_envs.slice(0, SHOWN) ?? [];
  const lines = (environments.length > 0 ? environments : ['ENV']).map(
    (environment) => `'waymark env policies detach ${environment} ${name}'`,
  );
  throw new CliError('conflict', `${error.message} (409)`, {
    fix: `Run ${lines.join(', ')}, then run this command again`,
    requestId: error.requestId,
    cause: error,
  });
}
