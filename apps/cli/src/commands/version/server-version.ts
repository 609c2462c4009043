import { contracts, getOpenApi } from '@waymark/contract';
import type { Session } from '../../run/session.ts';
import { version } from '../../run/version.ts';

export interface ServerVersion {
  readonly api: string;
  /** The release of the server; unknown before 0.1.0-rc.1. */
  readonly release: string | null;
  /** Operations that this program knows and the older service does not. */
  readonly missing: readonly string[];
}

const OURS = '2';

/** Returns the version of the service; undefined if it is another JSON server. */
export async function serverVersion(session: Session, signal: AbortSignal): Promise<ServerVersion | undefined> {
  const { body, headers } = await session.client().exchange(getOpenApi, { signal });
  return versionIn(body, headers);
}

export function versionIn(document: unknown, headers: Headers): ServerVersion | undefined {
  const { info, paths } = (document ?? {}) as {
    info?: { title?: unknown; version?: unknown };
    paths?: Record<string, Record<string, { operationId?: unknown }>>;
  };
  if (info?.title !== 'Waymark API' || typeof info.version !== 'string') return undefined;
  const known = new Set(
    Object.values(paths ?? {}).flatMap((path) => Object.values(path).map(({ operationId }) => operationId)),
  );
  const release = headers.get('waymark-version');
  return { api: info.version, release, missing: contracts.map(({ id }) => id).filter((id) => !known.has(id)) };
}

/** Describes an incompatibility between the two versions. */
export function skewOf({ api, release, missing }: ServerVersion): string | undefined {
  if (api.split('.')[0] !== OURS)
    return `The service uses version ${api} of the API, but this program uses version ${OURS}`;
  if (release !== null && lineOf(release) !== lineOf(version))
    return `The service has version ${release}, but this program has version ${version}`;
  if (missing.length === 0) return undefined;
  const some = missing.slice(0, 3).join(', ');
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  return `The service is older than this program: it does not support ${some}${more}`;
}

/** Versions of one line work together: of one major version, and before 1.0.0 of one minor version. */
function lineOf(release: string): string {
  const [major = '', minor = ''] = release.split('.');
  return major === '0' ? `0.${minor}` : major;
}
