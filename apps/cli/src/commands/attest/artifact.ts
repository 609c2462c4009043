import { reportArtifact } from '@waymark/contract';
import { type Identified, identifyArtifact, REFERENCE_FORMS } from '../../evidence/artifact-reference.ts';
import { attestSettings, collect, commitOf, notesOf, withNotes } from '../../evidence/attest-flags.ts';
import { tellChanges, tellDoubts } from '../../evidence/build-facts.ts';
import { tellDryRun, trailPage } from '../../evidence/record-attestation.ts';
import { endingOf, type Sent, sendEvidence } from '../../evidence/send-evidence.ts';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';
import type { Session } from '../../run/session.ts';
import { oneLine } from '../../run/table.ts';

const SHORT = 12;

export const command = defineCommand({
  description:
    'Reports what was built into the trail, by its fingerprint. An image is asked for at its registry; of an image for ' +
    'many platforms the index is the artifact, and the digest of each platform is noted with it.',
  examples: [
    { say: 'A file', run: 'waymark attest artifact dist/app.tgz --name app' },
    { say: 'An image', run: 'waymark attest artifact oci://ghcr.io/acme/web:1.9.1 --name web' },
    { say: 'A directory without its logs', run: "waymark attest artifact dist --exclude '**/*.log'" },
  ],
  settings: attestSettings,
  build: (command) =>
    withNotes(command.argument('<reference...>', REFERENCE_FORMS))
      .option('--name <name>', 'what the template calls it')
      .option('--filename <name>', 'what it is called; the name of the file or image unless given')
      .option('--exclude <pattern>', 'what does not count in a directory; can be repeated', collect, [] as string[])
      .option('--build-url <url>', 'address of the build; the CI system says it')
      .option('--commit-url <url>', 'address of the commit; the CI system says it'),
  async run(session, [references], flags) {
    if (references.length > 1 && (flags.name !== undefined || flags.filename !== undefined)) {
      throw usageError('--name and --filename are for one artifact', 'Run it once for each of them');
    }
    const artifacts = await Promise.all(
      references.map(async (reference) => ({ reference, ...(await identified(session, reference, flags)) })),
    );
    const about = buildOf(session, flags);
    tellDoubts(session, flags.commit);
    tellChanges(session, flags.commit);
    const sents: Sent[] = [];
    for (const artifact of artifacts) sents.push(await report(session, artifact, about, flags));
    tellDryRun(session);
    return {
      ending: endingOf(session, sents),
      data: artifacts.map(({ fingerprint, filename }, at) => ({ fingerprint, filename, ...stateOf(sents[at]) })),
      text: artifacts.map(({ fingerprint, filename }) => `sha256:${fingerprint}  ${oneLine(filename)}`).join('\n'),
      page: trailPage(session),
    };
  },
});

interface Flags {
  readonly name?: string | undefined;
  readonly filename?: string | undefined;
  readonly exclude: readonly string[];
  readonly buildUrl?: string | undefined;
  readonly commitUrl?: string | undefined;
  readonly commit?: string | undefined;
}

interface Build {
  readonly build_url: string;
  readonly commit_url: string;
  readonly git_commit?: string;
}

function buildOf(session: Session, flags: Flags): Build {
  const { buildUrl, commitUrl, commit: built } = session.ci();
  const commit = commitOf(session, flags.commit);
  const build = flags.buildUrl ?? buildUrl?.value;
  // The address that the CI system gives is that of the commit it builds.
  const address = flags.commitUrl ?? (commit === built?.value ? commitUrl?.value : undefined);
  if (build === undefined) throw usageError('The address of the build is not known', 'Give --build-url');
  if (address === undefined) throw usageError('The address of the commit is not known', 'Give --commit-url');
  return { build_url: build, commit_url: address, ...(commit !== undefined && { git_commit: commit }) };
}

type Artifact = Identified & { readonly filename: string };

async function identified(session: Session, reference: string, flags: Flags): Promise<Artifact> {
  const found = await identifyArtifact(session, reference, flags);
  const filename = flags.filename ?? found.filename;
  if (filename === undefined) throw usageError(`${reference} has no name`, 'Give --filename');
  return { ...found, filename };
}

async function report(session: Session, artifact: Artifact, build: Build, flags: Flags): Promise<Sent> {
  const org = session.need('org');
  const flow = session.need('flow');
  const trail = session.need('trail');
  const { origin_url: _, annotations, ...notes } = notesOf(session, flags) as Record<string, unknown>;
  const noted = { ...platformNotes(artifact), ...(annotations as object | undefined) };
  const body = {
    ...notes,
    ...build,
    fingerprint: artifact.fingerprint,
    filename: artifact.filename,
    trail_name: trail,
    ...(Object.keys(noted).length > 0 && { annotations: noted }),
    ...(flags.name !== undefined && { template_reference_name: flags.name }),
  };
  tellPlatforms(session, artifact);
  return sendEvidence(session, reportArtifact, { params: { org, flow_name: flow }, body }, [org, flow, trail]);
}

/** So that whoever sees the digest of one platform running can find where it belongs. */
function platformNotes({ platforms }: Identified): Record<string, string> {
  return Object.fromEntries(
    platforms.flatMap(({ platform, digest, configDigest }) => {
      const key = platform.replace(/[^A-Za-z0-9_-]/g, '_');
      return [
        [`platform_${key}`, `sha256:${digest}`],
        ...(configDigest === null ? [] : [[`config_${key}`, `sha256:${configDigest}`]]),
      ];
    }),
  );
}

function tellPlatforms(session: Session, { fingerprint, platforms }: Identified): void {
  if (platforms.length === 0) return;
  session.say(`sha256:${fingerprint.slice(0, SHORT)} is an index; to it belong`);
  for (const { platform, digest } of platforms) session.say(`  ${platform}  sha256:${digest}`);
}

function stateOf(sent: Sent | undefined): object {
  if (sent?.kind === 'spooled') return { spooled: sent.id };
  return sent?.kind === 'ignored' ? { ignored: true } : {};
}
