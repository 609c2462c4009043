/** The location of an image. With a digest the tag is informative only. */
export interface ImageReference {
  /** As people write it: `docker.io`, `ghcr.io`, `127.0.0.1:5000`. */
  readonly registry: string;
  /** The host to connect to; differs from `registry` for Docker Hub only. */
  readonly host: string;
  readonly repository: string;
  readonly tag: string | null;
  /** 64 hex digits. */
  readonly digest: string | null;
}

export class ImageReferenceError extends Error {
  override readonly name = 'ImageReferenceError';
  readonly reference: string;

  constructor(reference: string, why: string) {
    super(`${quoted(reference)} is not an image reference: ${why}`);
    this.reference = reference;
  }
}

const EXAMPLE = 'write it as ghcr.io/acme/web:1.9.1 or ghcr.io/acme/web@sha256:…';
const MAX_LENGTH = 1000;
const MAX_NAME_LENGTH = 255;
const DOCKER_HUB = 'docker.io';
const DOCKER_HUB_NAMES = [DOCKER_HUB, 'index.docker.io', 'registry-1.docker.io'];
const DOCKER_HUB_HOST = 'registry-1.docker.io';

const HOST =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*|\[[0-9a-fA-F:.]+\])(?::[0-9]{1,5})?$/;
const PATH_COMPONENT = /^[a-z0-9]+(?:(?:\.|__?|-+)[a-z0-9]+)*$/;
const TAG = /^[a-zA-Z0-9_][a-zA-Z0-9_.-]{0,127}$/;
const DIGEST = /^sha256:([0-9a-f]{64})$/;

/** Reads `[oci://|docker://][host[:port]/]path[:tag][@sha256:…]`; without a host Docker Hub is meant, without a tag `latest`. */
export function parseImageReference(text: string): ImageReference {
  const refuse = (why: string) => new ImageReferenceError(text, why);
  if (text.length > MAX_LENGTH) throw refuse(`it is longer than ${MAX_LENGTH} characters`);
  const plain = text.replace(/^(?:oci|docker):\/\//, '');
  const mistake = mistakeIn(plain);
  if (mistake !== undefined) throw refuse(mistake);

  const [name, digest] = cut(plain, plain.indexOf('@'));
  const { registry, path } = splitRegistry(name);
  const [repository, tag] = cut(path, path.lastIndexOf(':'));
  const wrong = wrongRegistry(registry) ?? wrongRepository(repository) ?? wrongTag(tag) ?? wrongDigest(digest);
  if (wrong !== undefined) throw refuse(wrong);

  const isDockerHub = DOCKER_HUB_NAMES.includes(registry.toLowerCase());
  return {
    registry: isDockerHub ? DOCKER_HUB : registry,
    host: isDockerHub ? DOCKER_HUB_HOST : registry,
    repository: isDockerHub && !repository.includes('/') ? `library/${repository}` : repository,
    tag: tag ?? (digest === undefined ? 'latest' : null),
    digest: digest?.match(DIGEST)?.[1] ?? null,
  };
}

/** Mistakes that deserve a better message than an invalid character. */
function mistakeIn(text: string): string | undefined {
  if (text === '') return `it is empty; ${EXAMPLE}`;
  if (/\s/.test(text)) return `it has white space in it; ${EXAMPLE}`;
  const [scheme] = /^[a-z0-9+.-]+:\/\//i.exec(text) ?? [];
  if (scheme !== undefined) return `"${scheme}" does not belong there; only oci:// and docker:// may precede the name`;
  if (/^(?:sha256:)?[0-9a-f]{64}$/.test(text)) {
    return 'it is a digest, which does not say where the image is; write it as ghcr.io/acme/web@sha256:…';
  }
  return undefined;
}

function splitRegistry(name: string): { readonly registry: string; readonly path: string } {
  const [first, rest] = cut(name, name.indexOf('/'));
  const isHost = rest !== undefined && (/[.:[]/.test(first) || first === 'localhost');
  return isHost ? { registry: first, path: rest } : { registry: DOCKER_HUB, path: name };
}

function wrongRegistry(registry: string): string | undefined {
  const isHost = HOST.test(registry) && URL.canParse(`https://${registry}`);
  return isHost ? undefined : `"${registry}" is not a host with an optional port`;
}

function wrongRepository(repository: string): string | undefined {
  if (repository === '') return `the name of the image is missing; ${EXAMPLE}`;
  if (repository.length > MAX_NAME_LENGTH) return `its name is longer than ${MAX_NAME_LENGTH} characters`;
  const wrong = repository.split('/').find((component) => !PATH_COMPONENT.test(component));
  if (wrong === undefined) return undefined;
  if (wrong === '') return 'there is nothing between two slashes, or after the last one';
  if (PATH_COMPONENT.test(wrong.toLowerCase())) return `names are in lower case, and "${wrong}" is not`;
  return `"${wrong}" may have lower case letters and digits, with ".", "_", "__" or "-" between them`;
}

function wrongTag(tag: string | undefined): string | undefined {
  if (tag === undefined || TAG.test(tag)) return undefined;
  return `the tag "${tag}" may have 1 to 128 letters, digits, "_", "." and "-", and begins with neither "." nor "-"`;
}

function wrongDigest(digest: string | undefined): string | undefined {
  if (digest === undefined || DIGEST.test(digest)) return undefined;
  return 'what follows "@" is "sha256:" and 64 digits in lower case hex';
}

/** What is before and after the character at the index; only the former if there is none. */
function cut(text: string, index: number): [string, string?] {
  return index === -1 ? [text] : [text.slice(0, index), text.slice(index + 1)];
}

/** The input may be shown in a terminal. */
function quoted(text: string): string {
  return JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
}
