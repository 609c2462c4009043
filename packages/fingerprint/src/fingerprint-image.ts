import { hash } from 'node:crypto';
import type { FindCredentials } from './docker-credentials.ts';
import { type ImageIdentity, identify } from './image-identity.ts';
import { type ImageReference, parseImageReference } from './image-reference.ts';
import { MANIFEST_MAX_BYTES, MANIFEST_MEDIA_TYPES, type Manifest, parseManifest, type Refuse } from './manifest.ts';
import { authorize, LOG_IN_HINT } from './registry-authorization.ts';
import { RegistryError, type RegistryFailure } from './registry-error.ts';
import { type Answer, isOnThisMachine, type RequestSettings, request } from './registry-request.ts';

export interface FingerprintImageOptions extends RequestSettings {
  /** Called only when the registry requires authentication, with `docker.io` or the host and port of the reference. */
  readonly credentials?: FindCredentials | undefined;
}

interface Registry {
  readonly image: ImageReference;
  readonly base: URL;
  readonly options: FingerprintImageOptions;
  authorization: string | undefined;
}

interface Verified {
  readonly digest: string;
  readonly manifest: Manifest;
}

/**
 * Asks the registry what the reference stands for, without a daemon and without layers. No digest is trusted: each is
 * computed from the received bytes.
 */
export async function fingerprintImage(
  reference: string,
  options: FingerprintImageOptions = {},
): Promise<ImageIdentity> {
  const image = parseImageReference(reference);
  const registry: Registry = { image, base: baseOf(image, options), options, authorization: undefined };
  const { digest, manifest } = await fetchManifest(registry, image.digest ?? image.tag ?? 'latest', image.digest);
  return identify(digest, manifest, async (entry) => fetchEntry(registry, entry.digest));
}

/** An index may name platforms that were never pushed; its own digest is enough. */
async function fetchEntry(registry: Registry, digest: string): Promise<Manifest | undefined> {
  try {
    return (await fetchManifest(registry, digest, digest)).manifest;
  } catch (error) {
    if (error instanceof RegistryError && error.failure === 'not-found') return undefined;
    throw error;
  }
}

function baseOf({ host, repository }: ImageReference, { plainHttp }: FingerprintImageOptions): URL {
  const isPlain = plainHttp ?? isOnThisMachine(new URL(`https://${host}`).hostname);
  return new URL(`${isPlain ? 'http' : 'https'}://${host}/v2/${repository}/manifests/`);
}

async function fetchManifest(registry: Registry, name: string, expected: string | null): Promise<Verified> {
  const url = new URL(registry.base.href + (expected === null ? name : `sha256:${expected}`));
  const subject = nameOf(registry.image, expected);
  const answer = await askFor(registry, url, subject);
  const refuse = (why: string) =>
    new RegistryError(`What ${url.host} sent for ${subject} ${why}`, {
      failure: 'unusable',
      status: answer.status,
      asked: answer.asked,
      hint: 'check that the address is that of a registry, and whether something between it and here answers instead',
    });
  const digest = verifiedDigest(answer, expected, refuse);
  const type = answer.headers.get('content-type')?.split(';')[0]?.trim().toLowerCase() ?? null;
  return { digest, manifest: parseManifest(answer.bytes, type, refuse) };
}

function verifiedDigest({ bytes, headers }: Answer, expected: string | null, refuse: Refuse): string {
  const digest = hash('sha256', bytes);
  const claimed = headers.get('docker-content-digest')?.trim() ?? '';
  if (expected !== null && digest !== expected) throw refuse(`has another digest: sha256:${digest}`);
  if (claimed.startsWith('sha256:') && claimed !== `sha256:${digest}`) {
    throw refuse(`is not what the registry says it is: its digest is sha256:${digest}`);
  }
  return digest;
}

async function askFor(registry: Registry, url: URL, subject: string): Promise<Answer> {
  const first = await send(registry, url);
  if (first.status === 200) return first;
  if (first.status !== 401) throw failureOf(first, url, subject);
  const { image, options } = registry;
  const credentials = await options.credentials?.(image.registry);
  registry.authorization = await authorize(options, { url, answer: first, repository: image.repository, credentials });
  const second = await send(registry, url);
  if (second.status === 200) return second;
  throw failureOf(second, url, subject);
}

async function send({ options, authorization }: Registry, url: URL): Promise<Answer> {
  const headers = { accept: MANIFEST_MEDIA_TYPES.join(', '), ...(authorization !== undefined && { authorization }) };
  return request(options, { url, headers, maxBytes: MANIFEST_MAX_BYTES });
}

function failureOf({ status, asked, bytes }: Answer, url: URL, subject: string): RegistryError {
  const code = codeIn(bytes);
  const error = (message: string, failure: RegistryFailure, hint: string) =>
    new RegistryError(message + code, { failure, status, asked, hint });
  if (status === 404) {
    return error(`There is no image ${subject}`, 'not-found', 'check its name and tag, and that it was pushed');
  }
  if (status === 401 || status === 403) {
    return error(`The registry ${url.host} does not let you read ${subject}`, 'needs-credentials', LOG_IN_HINT);
  }
  const message = `The registry ${url.host} answered ${status} when asked for ${subject}`;
  if (status === 429) return error(message, 'unavailable', 'it counts requests; log in, or try again later');
  if (status >= 500) return error(message, 'unavailable', 'try again later');
  return error(message, 'unusable', 'check that the address is that of a container registry');
}

/** The code of a registry's error; its message may contain anything. */
function codeIn(bytes: Uint8Array): string {
  try {
    const answer = JSON.parse(new TextDecoder().decode(bytes)) as { errors?: { code?: unknown }[] } | null;
    const code = answer?.errors?.[0]?.code;
    return typeof code === 'string' && /^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : '';
  } catch {
    return '';
  }
}

function nameOf({ registry, repository, tag, digest }: ImageReference, entry: string | null): string {
  const exact = entry ?? digest;
  return `${registry}/${repository}${exact === null ? `:${tag}` : `@sha256:${exact}`}`;
}
