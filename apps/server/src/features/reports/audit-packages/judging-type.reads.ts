import type { Ctx } from '../../../platform/ctx.ts';
import { requireStored } from '../../../platform/stored-json.ts';
import { findTypeVersion } from '../../attestations/types/attestation-type.reads.ts';
import type { PackagedAttestation } from './record.reads.ts';

/** The version of a custom type that judged. */
export interface JudgingType {
  readonly typeId: string;
  readonly name: string;
  readonly version: number;
  readonly schema: string | null;
  readonly rules: readonly string[];
  readonly summary: readonly { name: string; expression: string }[];
}

/** The version as named in the verdict on an attestation; undefined when no custom type judged. */
export interface TypeReference {
  readonly name: string;
  readonly version: number;
  /** A name can be reused once a type is archived. Verdicts stored without an id have only the name. */
  readonly typeId: string | undefined;
}

export function judgingTypeOf(
  row: Pick<PackagedAttestation, 'id' | 'type' | 'type_version' | 'verdict'>,
): TypeReference | undefined {
  const [, name] = /^custom:(.+)$/.exec(row.type) ?? [];
  if (name === undefined || row.type_version === null) return undefined;
  const { judged_by: judgedBy } = requireStored<{ judged_by?: { type_id?: string } }>(
    'attestation',
    row.id,
    row.verdict,
  );
  return { name, version: row.type_version, typeId: judgedBy?.type_id };
}

export async function findJudgingType(
  ctx: Ctx,
  { name, version, typeId }: TypeReference,
): Promise<JudgingType | undefined> {
  if (typeId === undefined) return findTypeVersion(ctx.db, ctx.org, name, version);
  const found = await ctx.db
    .selectFrom('custom_attestation_type_version')
    .select(['schema', 'rules', 'summary'])
    .where('org_id', '=', ctx.org)
    .where('type_id', '=', typeId)
    .where('version', '=', version)
    .executeTakeFirst();
  return (
    found && { typeId, name, version, schema: found.schema, rules: found.rules ?? [], summary: found.summary ?? [] }
  );
}
