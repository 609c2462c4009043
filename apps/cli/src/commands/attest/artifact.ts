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
    'Records the artifact in the trail, identified by its fingerprint. The command looks up images in their registry. For a ' +
    'multi-platform image, the index is the artifact; its platforms are sent as annotations, so that each of them is ' +
    'recognized where it runs.',
  examples: [
    { say: 'A file', run: 'waymark attest artifact dist/app.tgz --name app' },
    { say: 'An image', run: 'waymark attest artifact oci://ghcr.io/acme/web:1.9.1 --name web' },
    {
      say: 'One platform of an image',
      run: 'waymark attest artifact oci://ghcr.io/acme/web:1.9.1 --platform linux/arm64',
    },
    { say: 'A directory without its logs', run: "waymark attest artifact dist --exclude '**/*.log'" },
  ],
  settings: attestSettings,
  build: (command) =>
    withNotes(command.argument('<reference...>', REFERENCE_FORMS))
      .option('--name <name>', 'name of the artifact in the template')
      .option('--filename <name>', 'name to show (default: the name of the file or image)')
      .option('--platform <os/arch>', 'report the image for this platform instead of the index')
      .option('--exclude <pattern>', 'pattern to exclude from a directory; can be repeated', collect, [] as string[])
      .option('--build-url <url>', 'URL of the build (default: from the CI system)')
      .option('--commit-url <url>', 'URL of the commit (default: from the CI system)'),
  async run(session, [references], flags) {
    if (references.length > 1 && (flags.name !== undefined || flags.filename !== undefined)) {
      throw usageError('--name and --filename work only with one artifact', 'Run the command once for each artifact');
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
  readonly platform?: string | undefined;
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
  // The URL from the CI system is the URL of the commit it builds.
  const address = flags.commitUrl ?? (commit === built?.value ? commitUrl?.value : undefined);
  if (build === undefined) throw usageError('The URL of the build is unknown', 'Add --build-url');
  if (address === undefined) throw usageError('The URL of the commit is unknown', 'Add --commit-url');
  return { build_url: build, commit_url: address, ...(commit !== undefined && { git_commit: commit }) };
}

interface Artifact extends Identified {
  readonly filename: string;
  /** The index that lists the image, when it is the image of one platform. */
  readonly index?: string;
}

async function identified(session: Session, reference: string, flags: Flags): Promise<Artifact> {
  const image = await identifyArtifact(session, reference, flags);
  const found = flags.platform === undefined ? image : ofPlatform(reference, image, flags.platform);
  const filename = flags.filename ?? found.filename;
  if (filename === undefined) throw usageError(`${reference} has no name`, 'Add --filename');
  return { ...found, filename };
}

/** `linux/arm64` also matches linux/arm64/v8, if the index lists one variant only. */
function ofPlatform(reference: string, image: Identified, wanted: string): Identified & { readonly index: string } {
  const { platforms, fingerprint: index } = image;
  const exact = platforms.filter(({ platform }) => platform === wanted);
  const matching = exact.length > 0 ? exact : platforms.filter(({ platform }) => platform.startsWith(`${wanted}/`));
  const [found, ...others] = matching;
  if (found && others.length === 0) return { ...image, fingerprint: found.digest, index };
  const listed = platforms.map(({ platform }) => platform).join(', ');
  if (platforms.length === 0) throw usageError(`${reference} is not a multi-platform image`, 'Leave out --platform');
  throw usageError(`${reference} has ${found ? 'several images' : 'no image'} for ${wanted}`, `Use one of ${listed}`);
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

/** The service reads these, so that an image is recognized by the digest of its index and of each platform. */
function platformNotes({ platforms, index }: Artifact): Record<string, string> {
  const seen = new Map<string, number>();
  return Object.fromEntries([
    ...(index === undefined ? [] : [['image_index', `sha256:${index}`]]),
    ...platforms.flatMap(({ platform, digest, configDigest }) => {
      const name = platform.replace(/[^A-Za-z0-9_-]/g, '_');
      const times = (seen.get(name) ?? 0) + 1;
      seen.set(name, times);
      // An index may list two images for one platform.
      const key = times === 1 ? name : `${name}--${times}`;
      return [
        [`platform_${key}`, `sha256:${digest}`],
        ...(configDigest === null ? [] : [[`config_${key}`, `sha256:${configDigest}`]]),
      ];
    }),
  ]);
}

function tellPlatforms(session: Session, { fingerprint, platforms, index }: Artifact): void {
  if (platforms.length === 0) return;
  session.say(`sha256:${(index ?? fingerprint).slice(0, SHORT)} is an index with these platforms`);
  for (const { platform, digest } of platforms) session.say(`  ${platform}  sha256:${digest}`);
}

function stateOf(sent: Sent | undefined): object {
  if (sent?.kind === 'spooled') return { spooled: sent.id };
  return sent?.kind === 'ignored' ? { ignored: true } : {};
}
