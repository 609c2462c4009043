import { ApiError } from '@waymark/client';
import { getLedgerCheckpoint, getLedgerTile, getRegionCheckpoint, getRegionTile } from '@waymark/contract';
import {
  entriesPath,
  FormatError,
  parseSignedCheckpoint,
  type SignedCheckpoint,
  type TileResource,
  tilePath,
  tileWidth,
} from '@waymark/transparency';
import { CliError } from '../run/cli-error.ts';
import type { Session } from '../run/session.ts';
import { LedgerFault } from './ledger-fault.ts';

/** A log as the service serves it. Nothing that it returns has been verified. */
export interface RemoteLog {
  /** As messages call it. */
  readonly title: string;
  readonly checkpoint: () => Promise<SignedCheckpoint>;
  /** Returns a tile or an entry bundle, or undefined for a 404. */
  readonly file: (path: string) => Promise<Uint8Array | undefined>;
}

export function regionLog(session: Session, epoch: number): RemoteLog {
  const params = { epoch: String(epoch) };
  const { signal } = session.io;
  return remoteLog(`region log (epoch ${epoch})`, {
    checkpoint: () => session.client().download(getRegionCheckpoint, { params, signal }),
    file: (path) => session.client().download(getRegionTile, { params: { ...params, path }, signal }),
  });
}

export function orgLog(session: Session, org: string): RemoteLog {
  const { signal } = session.io;
  return remoteLog(`log of ${org}`, {
    checkpoint: () => session.client().download(getLedgerCheckpoint, { params: { org }, signal }),
    file: (path) => session.client().download(getLedgerTile, { params: { org, path }, signal }),
  });
}

interface Downloads {
  readonly checkpoint: () => Promise<Response>;
  readonly file: (path: string) => Promise<Response>;
}

function remoteLog(title: string, downloads: Downloads): RemoteLog {
  return {
    title,
    async checkpoint() {
      const bytes = await bytesOf(downloads.checkpoint());
      if (bytes) return readCheckpoint(title, bytes);
      throw new CliError('notFound', `The ${title} has no checkpoint yet`, {
        why: 'The service signs one within seconds of the first entry, if it has a signing key',
        fix: 'Try again, or ask the operator of the service whether WAYMARK_LEDGER_KEY is set',
      });
    },
    file: (path) => bytesOf(downloads.file(path.replace(/^tile\//, ''))),
  };
}

async function bytesOf(response: Promise<Response>): Promise<Uint8Array | undefined> {
  try {
    return new Uint8Array(await (await response).arrayBuffer());
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return undefined;
    throw error;
  }
}

function readCheckpoint(title: string, bytes: Uint8Array): SignedCheckpoint {
  try {
    return parseSignedCheckpoint(bytes);
  } catch (error) {
    if (!(error instanceof FormatError)) throw error;
    throw new LedgerFault(`The service sent a checkpoint of the ${title} that cannot be read`, {
      why: error.message,
      fix: 'Ask the operator of the service what answers at this address',
    });
  }
}

/** How often a partial file is asked for again, after the log has grown past its width. */
const TRIES = 10;

/**
 * Returns a tile or an entry bundle of at least the width that it has in a tree of this size: partial ones are replaced
 * while the log grows.
 */
export async function fetchFile(
  log: RemoteLog,
  resource: TileResource,
): Promise<{ readonly bytes: Uint8Array; readonly width: number }> {
  let { width } = resource;
  for (let tries = 0; tries < TRIES; tries++) {
    const bytes = await log.file(pathOf({ ...resource, width }));
    if (bytes) return { bytes, width };
    const { size } = (await log.checkpoint()).checkpoint;
    const level = resource.kind === 'tile' ? resource.level : 0;
    width = Math.max(resource.width, tileWidth(level, resource.index, size));
  }
  throw new LedgerFault(`The service does not have ${pathOf({ ...resource, width })} of the ${log.title}`, {
    why: 'A checkpoint that the log signed covers it',
    fix: 'Ask the operator of the service; until it is back, nobody can check that the log only grew',
  });
}

function pathOf(resource: TileResource): string {
  return resource.kind === 'tile' ? tilePath(resource) : entriesPath(resource);
}
