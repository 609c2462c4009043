import { join } from 'node:path';
import { ED25519, formatSigningKey, signingKey } from '../../../packages/transparency/src/index.ts';
import { type Installation, install, type Running, startNode } from '../installation.ts';

export interface SignedInstallation extends Installation {
  startSealer(): Promise<Running>;
}

/** An installation that signs its ledger. */
export async function installSigned(): Promise<SignedInstallation> {
  const installation = await install();
  const key = formatSigningKey(await signingKey('bench', ED25519, Buffer.alloc(32, 7)));
  const env = { ...installation.env, WAYMARK_LEDGER_KEY: key };
  return {
    ...installation,
    env,
    startSealer: () => startNode([join(import.meta.dirname, 'sealer-alone.ts')], env),
  };
}

export function makeOrgs(installation: Installation, orgs: number): void {
  installation.sql(`
    create table bench_org as select row_number() over () as n, gen_random_uuid() as id from generate_series(1, ${orgs})`);
}

/** An insert of this many entries of the orgs in turn; its parameter says where it begins. */
export function insertOf(entries: number, orgs: number) {
  return {
    name: `write_${entries}_entries`,
    text: `insert into journal (org_id, id, recorded_at, type, version, actor_kind, actor_name, subject_kind, subject_id,
        subject_seq, payload, nonce, payload_digest)
      select bench_org.id, gen_random_uuid(), now(), 'flow.updated', 1, 'system', 'bench', 'flow', gen_random_uuid(), 1,
        '{"name":"bench"}', sha256(i::text::bytea), sha256(i::text::bytea)
      from generate_series($1::bigint, $1::bigint + ${entries - 1}) as i join bench_org on n = 1 + (i * 7919) % ${orgs}
      returning id`,
  };
}
