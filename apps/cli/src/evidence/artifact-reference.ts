import { statSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import {
  dockerCredentials,
  fingerprintDirectory,
  fingerprintFile,
  fingerprintImage,
  fingerprintLayout,
  type ImageIdentity,
  ImageReferenceError,
  type PlatformIdentity,
  RegistryError,
} from '@waymark/fingerprint';
import { CliError, usageError } from '../run/cli-error.ts';
import type { Ending } from '../run/exit-codes.ts';
import type { Session } from '../run/session.ts';

export interface Identified {
  readonly fingerprint: string;
  /** The default name; a fingerprint alone has none. */
  readonly filename: string | undefined;
  readonly kind: 'fingerprint' | 'file' | 'directory' | 'image';
  /** For a multi-platform image: the image of each platform. */
  readonly platforms: readonly PlatformIdentity[];
}

/** A path is taken literally; an image by its name in a registry. */
export const REFERENCE_FORMS = 'a path, oci://IMAGE, oci-layout:PATH[:TAG], or sha256:DIGEST';

/** Finds the fingerprint of a reference. */
export async function identifyArtifact(
  session: Session,
  reference: string,
  { exclude = [] }: { readonly exclude?: readonly string[] } = {},
): Promise<Identified> {
  const digest = digestIn(reference);
  if (digest !== undefined) return { fingerprint: digest, filename: undefined, kind: 'fingerprint', platforms: [] };
  if (/^[a-z][a-z0-9+.-]+:\/\//.test(reference) && !reference.startsWith('oci://')) {
    throw usageError(`'${reference}' is not an artifact`, `Use ${REFERENCE_FORMS}`);
  }
  try {
    if (reference.startsWith('oci://')) return await image(session, reference.slice('oci://'.length));
    if (reference.startsWith('oci-layout:')) return await layout(session, reference.slice('oci-layout:'.length));
    return await path(session, reference, exclude);
  } catch (error) {
    throw meant(error, reference);
  }
}

/** `sha256:` and 64 digits, or the digits alone. A near miss is refused rather than taken for a path. */
export function digestIn(reference: string): string | undefined {
  const [, prefix, digits = ''] = /^(sha256:)?(.*)$/s.exec(reference) ?? [];
  if (/^[0-9a-f]{64}$/i.test(digits)) return digits.toLowerCase();
  if (prefix === undefined) return undefined;
  throw usageError(`'${reference}' is not a fingerprint`, 'Use sha256: and 64 hexadecimal digits');
}

async function path(session: Session, reference: string, exclude: readonly string[]): Promise<Identified> {
  const absolute = resolve(session.io.cwd, reference);
  const filename = basename(absolute);
  if (!statSync(absolute).isDirectory()) {
    return { fingerprint: await fingerprintFile(absolute), filename, kind: 'file', platforms: [] };
  }
  const fingerprint = await fingerprintDirectory(absolute, { exclude });
  return { fingerprint, filename, kind: 'directory', platforms: [] };
}

async function image(session: Session, reference: string): Promise<Identified> {
  const { io } = session;
  const config = join(io.env['DOCKER_CONFIG'] || join(io.home, '.docker'), 'config.json');
  const identity = await fingerprintImage(reference, {
    fetch: io.fetch,
    credentials: dockerCredentials(config),
    signal: io.signal,
  });
  return ofImage(identity, reference);
}

async function layout(session: Session, reference: string): Promise<Identified> {
  const [, place = '', tag] = /^(.+?)(?::([\w][\w.-]*|sha256:[0-9a-f]{64}))?$/.exec(reference) ?? [];
  return ofImage(await fingerprintLayout(resolve(session.io.cwd, place), tag), basename(place));
}

function ofImage({ digest, platforms }: ImageIdentity, filename: string): Identified {
  return { fingerprint: digest, filename, kind: 'image', platforms };
}

const REGISTRY_ENDINGS: Readonly<Record<RegistryError['failure'], Ending>> = {
  'not-found': 'notFound',
  'needs-credentials': 'denied',
  'not-reachable': 'unavailable',
  unavailable: 'unavailable',
  unusable: 'unavailable',
};

function meant(error: unknown, reference: string): unknown {
  if (error instanceof RegistryError) {
    return new CliError(REGISTRY_ENDINGS[error.failure], error.message, { fix: error.hint, cause: error });
  }
  if (error instanceof ImageReferenceError) {
    return new CliError('usage', error.message, { fix: `Use ${REFERENCE_FORMS}`, cause: error });
  }
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') {
    return new CliError('usage', `${reference}: No such file or directory`, {
      fix: `Use ${REFERENCE_FORMS}`,
      cause: error,
    });
  }
  if (!(error instanceof Error) || 'syscall' in error || error.name === 'AbortError') return error;
  return new CliError('usage', error.message, { cause: error });
}
