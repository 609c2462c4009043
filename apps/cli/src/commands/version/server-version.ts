import { contracts, getOpenApi } from '@waymark/contract';
import type { Session } from '../../run/session.ts';

export interface ServerVersion {
  readonly api: string;
  /** Operations that this program knows and the older service does not. */
  readonly missing: readonly string[];
}

const OURS = '2';

/** Returns the version of the service; undefined if it is another JSON server. */
export async function serverVersion(session: Session, signal: AbortSignal): Promise<ServerVersion | undefined> {
  const document = await session.client().call(getOpenApi, { signal });
  return versionIn(document);
}

export function versionIn(document: unknown): ServerVersion | undefined {
  const { info, paths } = (document ?? {}) as {
    info?: { title?: unknown; version?: unknown };
    paths?: Record<string, Record<string, { operationId?: unknown }>>;
  };
  if (info?.title !== 'Waymark API' || typeof info.version !== 'string') return undefined;
  const known = new Set(
    Object.values(paths ?? {}).flatMap((path) => Object.values(path).map(({ operationId }) => operationId)),
  );
  return { api: info.version, missing: contracts.map(({ id }) => id).filter((id) => !known.has(id)) };
}

/** Describes an incompatibility between the two versions. */
export function skewOf({ api, missing }: ServerVersion): string | undefined {
  if (api.split('.')[0] !== OURS)
    return `The service speaks version ${api} of the API, and this program version ${OURS}`;
  if (missing.length === 0) return undefined;
  const some = missing.slice(0, 3).join(', ');
  const more = missing.length > 3 ? ` and ${missing.length - 3} more` : '';
  return `The service is older than this program: it does not know ${some}${more}`;
}
