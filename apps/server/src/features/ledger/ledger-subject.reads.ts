import type { Ctx } from '../../platform/ctx.ts';
import { statement } from '../../platform/db/statement.ts';
import { invalid, invalidField, invalidFields, notFound } from '../../platform/errors.ts';
import { findEnvironmentByName } from '../environments/environment.reads.ts';
import { findPolicyVersionTime } from '../policies/policy.reads.ts';
import { resolveSnapshot } from '../snapshots/read/snapshot.reads.ts';
import { findTrailByName } from '../trails/trail.reads.ts';

export interface SubjectQuery {
  readonly entry?: string | undefined;
  readonly attestation?: string | undefined;
  readonly decision?: string | undefined;
  readonly trail?: string | undefined;
  readonly artifact?: string | undefined;
  readonly snapshot?: string | undefined;
  readonly policy?: string | undefined;
  readonly environment?: string | undefined;
}

/** What the entries that are asked for have in common. */
export interface LedgerSubject {
  /** As the caller named it. */
  readonly title: string;
  /** Subjects of the entries. Empty if one entry is asked for by its own id. */
  readonly ids: readonly string[];
  readonly entry?: string;
  /** Only the entries of one type that were recorded at one time, with a number in their payload. */
  readonly only?: { readonly type: string; readonly at: Date; readonly field: string; readonly number: number };
}

const KINDS = ['entry', 'attestation', 'decision', 'trail', 'artifact', 'snapshot', 'policy', 'environment'] as const;
type Kind = (typeof KINDS)[number];

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Finds what the entries are about. Throws a 400 unless one subject is named, and a 404 if there is none of that name. */
export function findSubject(ctx: Ctx, query: SubjectQuery): Promise<LedgerSubject> {
  const [kind, ...others] = KINDS.filter((name) => query[name] !== undefined);
  if (kind === undefined) throw invalid(`Name what was recorded: exactly one of ${KINDS.join(', ')} is required`);
  if (others.length > 0)
    throw invalidFields(
      Object.fromEntries(others.map((other) => [`query.${other}`, `cannot be combined with ${kind}`])),
    );
  return FIND[kind](ctx, query[kind] ?? '');
}

const FIND: Readonly<Record<Kind, (ctx: Ctx, named: string) => Promise<LedgerSubject>>> = {
  entry: async (_, id) => ({ title: `entry '${id}'`, ids: [], entry: id }),
  attestation: (ctx, id) => ofAttestation(ctx, id, 'Attestation'),
  decision: (ctx, id) => ofAttestation(ctx, id, 'Control decision'),
  trail: ofTrail,
  artifact: ofArtifact,
  snapshot: ofSnapshot,
  policy: ofPolicy,
  async environment(ctx, name) {
    const { id } = await findEnvironmentByName(ctx, name);
    return { title: `environment '${name}'`, ids: [id] };
  },
};

const findAttestation = statement<{ org_id: string; id: string }, { readonly type: string }>(
  'find_attestation_type',
  'select type from attestation where org_id = :org_id and id = :id',
);

async function ofAttestation(ctx: Ctx, id: string, kind: string): Promise<LedgerSubject> {
  const [found] = await findAttestation(ctx.db, { org_id: ctx.org, id });
  if (!found || (kind === 'Control decision' && found.type !== 'decision')) throw notFound(kind, id);
  return { title: `${kind.toLowerCase()} '${id}'`, ids: [id] };
}

const findTrailId = statement<{ org_id: string; id: string }, { readonly id: string }>(
  'find_trail_id',
  'select id from trail where org_id = :org_id and id = :id',
);

async function ofTrail(ctx: Ctx, named: string): Promise<LedgerSubject> {
  const title = `trail '${named}'`;
  if (UUID.test(named)) {
    const [found] = await findTrailId(ctx.db, { org_id: ctx.org, id: named });
    if (!found) throw notFound('Trail', named);
    return { title, ids: [named] };
  }
  const slash = named.indexOf('/');
  if (slash < 1 || slash === named.length - 1) throw invalidField('query.trail', "is not 'flow/trail' or an id");
  const { trail } = await findTrailByName(ctx, named.slice(0, slash), named.slice(slash + 1));
  return { title, ids: [trail.id] };
}

const MAX_REPORTS = 1_000;

/** The newest reports of an artifact, or one of them. */
const listReports = statement<{ org_id: string; fingerprint: string }, { readonly id: string }>(
  'list_artifact_report_ids',
  `select id from artifact where org_id = :org_id and fingerprint = :fingerprint
   order by receipt desc limit ${MAX_REPORTS}`,
);

const findReport = statement<{ org_id: string; id: string }, { readonly id: string }>(
  'find_artifact_report_id',
  'select id from artifact where org_id = :org_id and id = :id',
);

async function ofArtifact(ctx: Ctx, named: string): Promise<LedgerSubject> {
  const found = UUID.test(named)
    ? await findReport(ctx.db, { org_id: ctx.org, id: named })
    : await listReports(ctx.db, { org_id: ctx.org, fingerprint: named });
  if (found.length === 0) throw notFound('Artifact', named);
  return { title: `artifact '${named}'`, ids: found.map(({ id }) => id) };
}

async function ofSnapshot(ctx: Ctx, named: string): Promise<LedgerSubject> {
  const hash = named.lastIndexOf('#');
  const digits = named.slice(hash + 1);
  if (hash < 1 || !/^[1-9][0-9]{0,8}$/.test(digits))
    throw invalidField('query.snapshot', "is not 'environment#number', such as 'prod#42'");
  const environment = await findEnvironmentByName(ctx, named.slice(0, hash));
  const { index, created_at } = await resolveSnapshot(ctx, environment, `#${digits}`);
  return {
    title: `snapshot '${named}'`,
    ids: [environment.id],
    only: { type: 'snapshot.recorded', at: created_at, field: 'index', number: index },
  };
}

async function ofPolicy(ctx: Ctx, named: string): Promise<LedgerSubject> {
  const [name = '', version, ...rest] = named.split('@');
  const number = version === undefined ? undefined : /^v?([1-9][0-9]{0,8})$/.exec(version)?.[1];
  if (name === '' || rest.length > 0 || (version !== undefined && number === undefined))
    throw invalidField('query.policy', "is not 'name' or 'name@version'");
  const wanted = number === undefined ? undefined : Number(number);
  const { id, made_at: at } = await findPolicyVersionTime(ctx, name, wanted);
  const only = at && wanted !== undefined && { type: 'policy.versioned', at, field: 'version', number: wanted };
  return { title: `policy '${named}'`, ids: [id], ...(only && { only }) };
}
