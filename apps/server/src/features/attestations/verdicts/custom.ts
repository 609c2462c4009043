import type { Ctx } from '../../../platform/ctx.ts';
import { invalid, invalidField } from '../../../platform/errors.ts';
import type { Sandbox } from '../../../platform/sandbox/sandbox.ts';
import { refusedIfUnbounded } from '../bounded.ts';
import { findTypeVersion } from '../types/attestation-type.reads.ts';
import { type EvidenceVerdict, verdict } from '../verdict.ts';

/**
 * Judges by the customer's own schema and rules, in the sandbox. The version that judged is stored with the verdict.
 */
export async function judgeCustom(
  ctx: Ctx,
  sandbox: Sandbox,
  typeName: string,
  data: unknown,
): Promise<EvidenceVerdict> {
  const type = await findTypeVersion(ctx.db, ctx.org, typeName);
  if (!type) throw invalidField('type_name', `is not an attestation type of this org: '${typeName}'`);
  const { schema, rules, summary } = type;
  const outcome = await refusedIfUnbounded(
    'attestation_data',
    sandbox.run(ctx.org, 'judgeCustom', () => ({ schema, rules, summary, data })),
  );
  if (outcome.kind === 'schema_failed') {
    const problems = outcome.problems.join('; ');
    throw invalid(`The data does not match the schema of type '${typeName}' version ${type.version}: ${problems}`, {
      attestation_data: problems,
    });
  }
  const values = outcome.summary.slice(0, 3).map(({ name, value }) => `${name} is ${JSON.stringify(value)}`);
  const shown = values.length === 0 ? '' : ` (${values.join(', ')})`;
  const reasons = outcome.results
    .filter((result) => !result.passed)
    .map(({ rule, because }) => `The rule ${rule} of type '${typeName}' failed: ${because}${shown}.`);
  return verdict(reasons, {
    typeVersion: type.version,
    read: { summary: outcome.summary, rules: outcome.results },
    // A name can be released and reused, and versions then restart; the id identifies the type.
    judgedBy: { type: `${typeName}@v${type.version}`, type_id: type.typeId, engine: outcome.engine },
  });
}
