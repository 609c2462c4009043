/** A reported name, split where its version begins. */
interface ArtifactName {
  /** The name without the parts that change from release to release. */
  readonly name: string;
  /** Empty when the name does not have it. */
  readonly version: string;
}

const DIGEST = /@sha256:[0-9a-f]{64}$/;
/** The tag of an image: after the last colon without a slash after it (that would be the port of a registry). */
const TAG = /^(.+):([A-Za-z0-9_][A-Za-z0-9_.-]{0,127})$/;

export function nameAndVersion(text: string): ArtifactName {
  const plain = text.replace(DIGEST, '');
  const [, name, version] = TAG.exec(plain) ?? [];
  if (name === undefined || version === undefined || /^\d+$/.test(name)) return { name: plain, version: '' };
  return { name, version };
}
