import type { Artifact, Target } from './trail.ts';

export const TRAIL_KEY = 'trail';

/** Equal exactly for equal targets. */
export function targetKey(target: Target): string {
  switch (target.kind) {
    case 'trail':
      return TRAIL_KEY;
    case 'fingerprint':
      return fingerprintKey(target.fingerprint);
    case 'named':
      return namedKey(target.artifact, target.commit);
  }
}

/** The keys of the targets of an artifact. */
export function targetKeysOf({ fingerprint, templateName, commit }: Artifact): string[] {
  const byFingerprint = fingerprintKey(fingerprint);
  return templateName === null || commit === null ? [byFingerprint] : [byFingerprint, namedKey(templateName, commit)];
}

function fingerprintKey(fingerprint: string): string {
  return `fingerprint:${fingerprint}`;
}

function namedKey(artifact: string, commit: string): string {
  return `named:${JSON.stringify([artifact, commit])}`;
}
