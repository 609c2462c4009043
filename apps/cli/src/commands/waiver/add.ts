import { allowArtifact, searchSha } from '@waymark/contract';
import { comingMoment, given } from '../../resources/options.ts';
import { wholeFingerprint } from '../../resources/references.ts';
import { shortDigest } from '../../resources/show.ts';
import { unlessMissing } from '../../resources/unless-missing.ts';
import { noteDryRun, writing } from '../../resources/write.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { showTime } from '../../run/show-time.ts';
import { oneLine } from '../../run/table.ts';

export const command = defineCommand({
  description:
    'The artifact counts as compliant in the environment regardless of its policies, until the waiver expires or is ' +
    'removed. The artifact does not have to run there yet. Running the command again changes nothing; a new reason ' +
    'or expiry replaces the waiver.',
  examples: [
    {
      say: 'For a week',
      run: "waymark waiver add 8f05d73a1c5e4b7f9d2a6e3c0b8f7d5e4c3b2a1908f7e6d5c4b3a29180f7e6d5 --env prod --reason 'Hotfix, reviewed later' --expires 7d",
    },
  ],
  settings: ['dryRun'],
  build: (command) =>
    command
      .argument('<fingerprint>', 'fingerprint of the artifact, all 64 digits')
      .requiredOption('--env <name>', 'environment of the waiver')
      .requiredOption('--reason <text>', 'reason for the waiver')
      .option('--name <text>', 'name of the artifact (default: the name it was reported with)')
      .option('--expires <time>', 'expiry: 7d, 2026-12-01 (default: until removed)'),
  async run(session, [text], { env, reason, name, expires }) {
    const fingerprint = wholeFingerprint(text);
    const waiver = await session.client().call(allowArtifact, {
      params: { org: session.need('org'), env_name: env },
      body: {
        artifact_fingerprint: fingerprint,
        artifact_name: name ?? (await reportedName(session, fingerprint)) ?? shortDigest(fingerprint),
        description: reason,
        ...given({ expires_at: expires === undefined ? undefined : comingMoment(session, '--expires', expires) }),
      },
      ...writing(session),
    });
    noteDryRun(session);
    const until = waiver.expires_at === null ? 'until it is removed' : `until ${showTime(waiver.expires_at, session)}`;
    return {
      data: waiver,
      text: `${oneLine(waiver.artifact_name)} is waived in ${waiver.environment_name} ${until}`,
    };
  },
});

async function reportedName(session: Session, fingerprint: string): Promise<string | undefined> {
  const params = { org: session.need('org'), sha: fingerprint };
  const found = await unlessMissing(session.client().call(searchSha, { params, signal: session.io.signal }));
  return found?.artifacts[0]?.name || undefined;
}
