import type { ReadStatement, Verified, Vex } from '@waymark/evidence';

/** Only what is known. A statement that is not verified says nothing about the artifact. */
function shownStatement({ fields, ...statement }: ReadStatement) {
  const { builder, buildType, invocation, source, materials, materialCount, parameters, result } = fields;
  const { verifier, policyUri, resourceUri, verifiedLevels, properties, tests, sbom, vex } = fields;
  return {
    predicate_type: statement.predicateType,
    about: statement.about,
    outcome: statement.fault ?? ('signature_verified' as const),
    signers: statement.signers,
    subjects: statement.subjects,
    subject_count: statement.subjectCount,
    builder,
    build_type: buildType,
    invocation,
    source,
    materials,
    material_count: materialCount,
    parameters,
    result,
    verifier,
    policy_uri: policyUri,
    resource_uri: resourceUri,
    verified_levels: verifiedLevels,
    properties,
    tests,
    sbom: sbom && { format: sbom.format, spec_version: sbom.specVersion, component_count: sbom.componentCount },
    vex: vex && { format: vex.format, statement_count: vex.statementCount },
  };
}

const VEX_SHOWN = 100;

/** The first statements of a VEX document, as they are stored and returned in `evaluation`. */
export function shownVex({ format, author, statements, others }: Vex) {
  return {
    format,
    author,
    statement_count: statements.length,
    other_statements: others,
    statements: statements.slice(0, VEX_SHOWN),
  };
}

/** What was read from signed statements, as it is stored and returned in `evaluation`. */
export function statedIn({ statement, statements, others, vex, ...verified }: Verified) {
  return {
    statement,
    signed_by: verified.verified ? verified.by : null,
    claimed_signer: verified.verified ? null : verified.claimed,
    statements: statements.map(shownStatement),
    other_statements: others,
    ...(verified.verified && vex && { vex: shownVex(vex) }),
  };
}

/** What the verified statements say against the artifact. */
export function failuresIn({ statements }: Verified): string[] {
  return statements.flatMap(({ fields: { result, verifier } }) => {
    if (result !== 'FAILED') return [];
    return [`The verification${verifier === undefined ? '' : ` by '${verifier}'`} FAILED.`];
  });
}
