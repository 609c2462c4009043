import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { directoryObjects } from '../../../apps/server/src/platform/blobs/directory-objects.ts';
import { openDb } from '../../../apps/server/src/platform/db/db.ts';
import { laneOf } from '../../../apps/server/src/platform/journal/lanes.ts';
import { LEAF_HASH } from '../../../apps/server/src/platform/journal/leaf.ts';
import { logKeyOf, verifierKeyTexts } from '../../../apps/server/src/platform/ledger/log-keys.ts';
import { sealAll } from '../../../apps/server/src/platform/ledger/seal-all.ts';
import { createLogger } from '../../../apps/server/src/platform/log.ts';
import { ED25519, regionOrigin, signingKey } from '../../../packages/transparency/src/index.ts';
import type { Installation } from '../installation.ts';

export interface Size {
  readonly leaves: number;
  /** Every so many leaves have an entry in the journal. Of the others, only the hash exists. */
  readonly stride: number;
}

const PROBES = 10_000;
const FIRST_SEQ = 1_000;
const FIRST_MS = 1_790_000_000_000;
const NAME = 'bench.example/eu';

export function sizeOf(leaves: number): Size {
  return { leaves, stride: Math.max(1, Math.floor(leaves / PROBES)) };
}

/** Returns the id of an entry, and of the artifact that it is about, by its index. */
export function idsAt(index: number): { readonly entry: string; readonly artifact: string } {
  const hex = createHash('md5').update(String(index)).digest('hex');
  const ms = (FIRST_MS + index).toString(16).padStart(12, '0');
  return {
    entry: dashed(`${ms}7${hex.slice(0, 3)}8${hex.slice(3, 18)}`),
    artifact: dashed(hex),
  };
}

function dashed(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

const ENTRY_ID = `(lpad(to_hex(${FIRST_MS} + i), 12, '0') || '7' || substr(md5(i::text), 1, 3) || '8' ||
  substr(md5(i::text), 4, 15))::uuid`;

/** Fills the ledger of the org as if so many entries had been sequenced, and seals it. Returns a trust policy. */
export async function loadLedger(installation: Installation, { leaves, stride }: Size): Promise<string> {
  const org = installation.sql("select id from org where name = 'acme'");
  installation.sql(`
    set statement_timeout = 0;
    update lane_head set position = ${leaves} where lane = ${laneOf(org)};
    select setval('journal_seq', ${FIRST_SEQ + leaves});
    update sequencer set high_water = ${FIRST_SEQ + leaves};
    select ensure_ranges();
    insert into artifact (org_id, id, flow_id, trail_id, fingerprint, filename, build_url, commit_url, repo_url, content,
      created_at, created_by)
    select '${org}', md5(i::text)::uuid, '${org}', '${org}', repeat(md5(i::text), 2), 'bench', '', '', '', '{}', now(),
      'bench' from generate_series(0, ${leaves - 1}, ${stride}) as i;
    insert into journal (seq, org_id, id, recorded_at, type, version, actor_kind, actor_name, actor_digest, subject_kind,
      subject_id, subject_seq, payload_digest)
    select ${FIRST_SEQ} + i, '${org}', ${ENTRY_ID}, to_timestamp((${FIRST_MS} + i) / 1000.0), 'artifact.reported', 2,
      'system', 'bench', sha256(''), 'artifact', md5(i::text)::uuid, 1, sha256('')
    from generate_series(0, ${leaves - 1}, ${stride}) as i;
    insert into ledger (org_id, index, lane, position, entry_seq, entry_id, sequenced_at, leaf_hash, subject_id)
    select '${org}', i, ${laneOf(org)}, i + 1, ${FIRST_SEQ} + i, ${ENTRY_ID}, now(),
      case when journal.seq is null then sha256(int8send(i)) else ${LEAF_HASH} end,
      case when journal.seq is null then lpad(to_hex(i), 32, '0')::uuid else journal.subject_id end
    from generate_series(0, ${leaves - 1}) as i
    left join journal on journal.org_id = '${org}' and journal.seq = ${FIRST_SEQ} + i;
    insert into ledger_head (org_id, size) values ('${org}', ${leaves});
    update sealer set has_key = true`);
  const policy = await seal(installation);
  installation.sql('vacuum (analyze) ledger, journal, artifact, org_log_tile, region_leaf, region_checkpoint');
  return policy;
}

async function seal({ databaseUrl }: Installation): Promise<string> {
  const log = createLogger('silent');
  const db = openDb({ url: databaseUrl, poolSize: 2, statementTimeoutMs: 0 }, log);
  const root = mkdtempSync(join(tmpdir(), 'waymark-bench-'));
  const keys = [logKeyOf(await signingKey(NAME, ED25519, Buffer.alloc(32, 1)))];
  try {
    await sealAll({ db, objects: directoryObjects({ root }), keys, name: NAME, log });
  } finally {
    await db.destroy();
    rmSync(root, { recursive: true });
  }
  return `log ${verifierKeyTexts(regionOrigin(NAME, 1), keys)[0]}\nquorum none\n`;
}
