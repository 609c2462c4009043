import { cutMiddle, onOneLine } from './bounded-text.ts';
import type { ArtifactLine, MessageContent } from './content.ts';

/** The number of names that are stored; the count includes the others. */
export const MAX_NAMES = 20;
export const MAX_ARTIFACTS = 20;
const MAX_NAME_LENGTH = 120;

/** A name as it appears in a text. */
export function shortName(name: string): string {
  return cutMiddle(onOneLine(name), MAX_NAME_LENGTH);
}

/** A few distinct names, in their order. */
export function fewNames(names: Iterable<string>): string[] {
  const few = new Set<string>();
  for (const name of names) {
    if (few.size === MAX_NAMES) break;
    few.add(shortName(name));
  }
  return [...few];
}

/** Joins two messages. The places are those of the later one; the caller adds the counts. */
export function joinContents(before: MessageContent, more: MessageContent): MessageContent {
  const { artifact, trail, attestation, why, fix } = isBad(more) && !isBad(before) ? more : before;
  const artifacts = newestOf([...artifactsOf(before), ...artifactsOf(more)]);
  return {
    environment: more.environment ?? before.environment,
    flow: more.flow ?? before.flow,
    snapshot: more.snapshot ?? before.snapshot,
    artifact,
    trail,
    attestation,
    apiKey: before.apiKey ?? more.apiKey,
    names: unionOf(before.names, more.names),
    why,
    ...(artifacts.length > 0 && { artifacts }),
    ...(fix !== undefined && { fix }),
  };
}

/** The artifacts with an event: an attested one is listed as an attestation. */
export function artifactsOf({ artifacts, artifact, attestation }: MessageContent): readonly ArtifactLine[] {
  if (artifacts) return artifacts;
  if (!artifact || attestation) return [];
  const { name, fingerprint, compliant } = artifact;
  return [{ name, fingerprint, compliant }];
}

/** Each once, at its last position and in its last state. */
function newestOf(artifacts: readonly ArtifactLine[]): ArtifactLine[] {
  const newest = new Map<string, ArtifactLine>();
  for (const artifact of artifacts) {
    const key = `${artifact.fingerprint} ${artifact.name}`;
    newest.delete(key);
    newest.set(key, artifact);
  }
  return [...newest.values()].slice(-MAX_ARTIFACTS);
}

/** For names that are short already. */
function unionOf(before: readonly string[], more: readonly string[]): readonly string[] {
  if (before.length >= MAX_NAMES) return before;
  return [...new Set([...before, ...more])].slice(0, MAX_NAMES);
}

function isBad({ artifact, attestation }: MessageContent): boolean {
  return artifact?.compliant === false || attestation?.compliant === false;
}
