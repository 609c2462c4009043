import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { Command, OptionValues } from '@commander-js/extra-typings';
import { FindingLevel } from '@waymark/contract';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import type { SettingName } from '../run/settings.ts';
import { digestIn, identifyArtifact } from './artifact-reference.ts';
import { commitInfo, repoInfo } from './build-facts.ts';

export const attestSettings: readonly SettingName[] = ['flow', 'trail', 'dryRun', 'onUnavailable', 'strict'];

export const collect = (value: string, before: readonly string[]): string[] => [...before, value];

type FactFlags = {
  readonly commit?: string | undefined;
  readonly description?: string | undefined;
  readonly userData?: string | undefined;
  readonly link?: readonly string[];
};

type OriginFlag = { readonly originUrl?: string | undefined };

type NoteFlags = FactFlags & { readonly annotate?: readonly string[] };

export type AttestFlags = NoteFlags &
  OriginFlag & {
    readonly name?: string | undefined;
    readonly artifact?: string | undefined;
    readonly attachment?: readonly string[];
  };

// The types of commander can't follow what flags make of a generic command; hence the names above.
type With<Args extends unknown[], Options extends OptionValues, Flags> = Command<Args, Options & Flags>;

export const ORIGIN_FLAG = ['--origin-url <url>', 'URL of the origin (default: the build)'] as const;

/** Flags of every kind of evidence. */
export function withAttestFlags<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): With<Args, Options, AttestFlags> {
  return withNotes(command)
    .option('--name <name>', 'name of the attestation; ARTIFACT.NAME is short for --artifact ARTIFACT --name NAME')
    .option(
      '--artifact <which>',
      'artifact that the evidence is about: its name in the template, sha256:DIGEST, oci://IMAGE, or ./PATH',
    )
    .option(...ORIGIN_FLAG)
    .option('--attachment <file>', 'file to attach; can be repeated', collect, []) as never;
}

type FindingFlags = { readonly failsAt?: FindingLevel | undefined };

/** Flags of scanner results. */
export function withFailsAt<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): With<Args, Options, FindingFlags> {
  return command.option(
    '--fails-at <level>',
    'lowest level at which findings fail: error, warning, or note; cannot be more lenient than the org or the template',
    readLevel,
  ) as never;
}

function readLevel(text: string): FindingLevel {
  const level = FindingLevel.safeParse(text);
  if (level.success) return level.data;
  throw usageError(`--fails-at must be error, warning, or note, not '${text}'`);
}

/** Flags of artifacts and attestations. */
export function withNotes<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): With<Args, Options, NoteFlags> {
  return withFacts(command).option('--annotate <key=value>', 'annotation; can be repeated', collect, []) as never;
}

/** Flags of trails, too. */
export function withFacts<Args extends unknown[], Options extends OptionValues>(
  command: Command<Args, Options>,
): With<Args, Options, FactFlags> {
  return command
    .option('--commit <sha>', 'commit (default: the commit being built)')
    .option('--description <text>', 'free-text description')
    .option('--user-data <file>', 'JSON file with custom data to record')
    .option('--link <label=url>', 'link; can be repeated', collect, []) as never;
}

export interface Target {
  readonly name: string;
  /** As shown: the name in the template, or the beginning of its fingerprint. */
  readonly artifact: string | undefined;
  readonly body: object;
}

/** Name and target of an attestation. */
export async function targetOf(session: Session, flags: AttestFlags, otherwise?: string): Promise<Target> {
  const { name, artifact } = splitName(flags, otherwise);
  if (artifact === undefined) return { name, artifact, body: { attestation_name: name } };
  if (isTemplateName(artifact)) {
    if (commitOf(session, flags.commit) === undefined) {
      throw usageError(
        `The commit of '${artifact}' is unknown`,
        'Add --commit, or name the artifact by its fingerprint: --artifact sha256:DIGEST',
      );
    }
    return { name, artifact, body: { attestation_name: name, target_artifacts: [artifact] } };
  }
  const { fingerprint } = await identifyArtifact(session, artifact);
  return {
    name,
    artifact: `sha256:${fingerprint.slice(0, 12)}`,
    body: { attestation_name: name, artifact_fingerprint: fingerprint },
  };
}

/** A bare word is never a path, so a directory of that name changes nothing. */
function isTemplateName(artifact: string): boolean {
  return digestIn(artifact) === undefined && /^[A-Za-z0-9_-]+$/.test(artifact);
}

function splitName(flags: AttestFlags, otherwise: string | undefined): { name: string; artifact: string | undefined } {
  const given = flags.name ?? otherwise;
  if (given === undefined) throw usageError('--name is missing', 'Add --name');
  const [first = '', second, third] = given.split('.');
  if (second === undefined) return { name: given, artifact: flags.artifact };
  if (third !== undefined || first === '' || second === '') {
    throw usageError(`--name must be a name or ARTIFACT.NAME, not '${given}'`);
  }
  if (flags.artifact !== undefined && flags.artifact !== first) {
    throw usageError(`--name refers to artifact '${first}', but --artifact to '${flags.artifact}'`, 'Use one of them');
  }
  return { name: second, artifact: first };
}

/** The fields that all evidence has in common, on the wire. */
export function notesOf(session: Session, flags: NoteFlags & OriginFlag): object {
  const { description } = flags;
  const origin = flags.originUrl ?? session.ci().buildUrl?.value;
  const links = pairsOf('--link', flags.link ?? []);
  const annotations = pairsOf('--annotate', flags.annotate ?? []);
  return {
    ...(description !== undefined && { description }),
    ...(flags.userData !== undefined && { user_data: readJsonFile(session, flags.userData, '--user-data') }),
    ...(links && {
      external_urls: Object.fromEntries(Object.entries(links).map(([label, href]) => [label, { href }])),
    }),
    ...(annotations && { annotations }),
    ...(origin !== undefined && { origin_url: origin }),
    ...commitInfo(session, commitOf(session, flags.commit)),
    ...repoInfo(session),
  };
}

/** Returns a commit as git resolves it, or the one that is built. */
export function commitOf(session: Session, given: string | undefined): string | undefined {
  if (given === undefined) return session.ci().commit?.value;
  if (/^[0-9a-f]{40}$/i.test(given)) return given.toLowerCase();
  const { io } = session;
  // A name that begins with a dash would be a flag of git.
  const { status, stdout } = io.run(
    'git',
    ['rev-parse', '--verify', '--quiet', '--end-of-options', `${given}^{commit}`],
    {
      cwd: io.cwd,
    },
  );
  const found = stdout.trim();
  if (status === 0 && /^[0-9a-f]{40}$/.test(found)) return found;
  throw usageError(`--commit: no local git checkout contains the commit '${given}'`, 'Use all 40 digits');
}

function pairsOf(flag: string, given: readonly string[]): Record<string, string> | undefined {
  if (given.length === 0) return undefined;
  const pairs = new Map<string, string>();
  for (const text of given) {
    const at = text.indexOf('=');
    const key = text.slice(0, Math.max(at, 0));
    const value = text.slice(at + 1);
    if (key === '' || value === '') throw usageError(`${flag} must be KEY=VALUE, not '${text}'`);
    if (pairs.has(key)) throw usageError(`${flag} has the key '${key}' twice`);
    pairs.set(key, value);
  }
  return Object.fromEntries(pairs);
}

function readJsonFile(session: Session, path: string, flag: string): unknown {
  const text = readFileSync(resolve(session.io.cwd, path), 'utf8');
  try {
    return JSON.parse(text);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : '';
    throw new CliError('usage', `${flag}: ${path} is not JSON`, { why, cause });
  }
}
