/** A name that an environment reported, cut where a version begins. */
interface ArtifactName {
  /** What it is called without what differs from release to release. */
  readonly name: string;
  /** Empty when the name does not tell. */
  readonly version: string;
}

const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** The tag of an image: after the last colon, which no slash follows (that would be the port of a registry). */
const TAG = /^(.+):([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$/;

export function nameAndVersion(text: string): ArtifactName {
  const plain = text.replace(DIGEST, '');
  const [, name, version] = TAG.exec(plain) ?? [];
  if (name === undefined || version === undefined || /^\d+$/.test(name)) return { name: plain, version: '' };
  return { name, version };
}
