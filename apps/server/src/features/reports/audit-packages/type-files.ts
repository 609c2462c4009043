import type { Ctx } from '../../../platform/ctx.ts';
import { wholeRows } from '../../../platform/stored-json.ts';
import { findJudgingType, type JudgingType, judgingTypeOf, type TypeReference } from './judging-type.reads.ts';
import type { PackagedAttestation } from './record.reads.ts';
import { safeName } from './safe-name.ts';

interface TypeFile {
  readonly path: string;
  /** Returned only once per file, so that it is packed once. */
  readonly record?: object;
}

/** The file with the version that judged an attestation, if a custom type did. */
export function createTypeFiles(ctx: Ctx): (row: PackagedAttestation) => Promise<TypeFile | undefined> {
  const pathOf = new Map<string, string>();
  const taken = new Set<string>();
  return async (row) => {
    const reference = judgingTypeOf(row);
    if (!reference) return undefined;
    const known = pathOf.get(keyOf(reference));
    if (known !== undefined) return { path: known };
    const type = await findJudgingType(ctx, reference);
    if (!type) throw new Error(`the type that judged attestation ${row.id} is missing`);
    const path = freePath(type, taken);
    taken.add(path);
    pathOf.set(keyOf(reference), path);
    return { path, record: typeRecord(type) };
  };
}

function keyOf({ typeId, name, version }: TypeReference): string {
  return `${typeId ?? name} ${version}`;
}

/** An archived type, and a new one of the same name, may both have judged in one trail. */
function freePath({ name, version, typeId }: JudgingType, taken: ReadonlySet<string>): string {
  const path = (label: string) => `records/types/${label}@v${version}.json`;
  const plain = path(safeName(name));
  return taken.has(plain) ? path(`${safeName(name)}-${typeId}`) : plain;
}

function typeRecord({ typeId, name, version, schema, rules, summary }: JudgingType) {
  return {
    type_id: typeId,
    name,
    version,
    type_schema: wholeRows('custom_attestation_type_version').read<unknown>(`${typeId}/${version}`, schema, null),
    // As it was sent: its digest is in the journal.
    type_schema_text: schema,
    rules,
    summary,
  };
}
