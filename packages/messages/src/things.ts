import { onOneLine } from './bounded-text.ts';
import type { ArtifactLine, MessageContent } from './content.ts';
import { artifactsOf, MAX_ARTIFACTS, MAX_NAMES, shortName } from './join.ts';

/** The subjects of a message, each once, by name. */
export interface Things {
  readonly names: readonly string[];
  /** Only some of many are stored. */
  readonly areAll: boolean;
}

const FINGERPRINT_SHOWN = 12;

export function thingsOf(content: MessageContent): Things {
  const artifacts = artifactsOf(content);
  const byName = Map.groupBy(artifacts, ({ name }) => shortName(name));
  const names = content.names.map(shortName).flatMap((name) => {
    const same = byName.get(name) ?? [];
    return same.length < 2 ? [name] : same.map(withFingerprint);
  });
  return { names, areAll: content.names.length < MAX_NAMES && artifacts.length < MAX_ARTIFACTS };
}

/** Artifacts that share a name, but differ, are shown with their fingerprints. */
export function calledIn(content: MessageContent, artifact: ArtifactLine): string {
  const name = shortName(artifact.name);
  const same = artifactsOf(content).filter((other) => shortName(other.name) === name);
  return same.length < 2 ? name : withFingerprint(artifact);
}

function withFingerprint({ name, fingerprint }: ArtifactLine): string {
  return `${shortName(name)} (${onOneLine(fingerprint.slice(0, FINGERPRINT_SHOWN)) || 'no fingerprint'})`;
}
