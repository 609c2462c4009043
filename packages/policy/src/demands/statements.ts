import { compileGlobs } from '@waymark/globs';
import type { AttestationRule } from '../attestation-rule.ts';
import type { Demand, Place, Unmet } from '../demand.ts';
import type { AttestationEvidence, StatementEvidence } from '../evidence.ts';
import { ofFlow } from '../in-words.ts';
import type { Materials, SignedBy, Source } from './statement-fields.ts';

/** One field of a rule on a statement. */
interface Check {
  readonly field:
    | 'predicate_type'
    | 'signed_by'
    | 'builder'
    | 'source'
    | 'materials'
    | 'verifier'
    | 'verification_result';
  readonly value: unknown;
  readonly inWords: string;
  /** Null when the statement meets it; otherwise what it says instead, to follow the name of the evidence. */
  readonly unmet: (statement: StatementEvidence, place: Place) => string | null;
  /** What fails in a statement that meets all other fields, to follow the name of the evidence. */
  readonly failing?: (statement: StatementEvidence) => Failing | null;
  /** How to get a statement that meets it, before "and report". */
  readonly step: string;
}

interface Failing {
  readonly found: string;
  readonly context: Readonly<Record<string, unknown>>;
  /** How to mend it, before "and report". */
  readonly step: string;
}

/**
 * What a rule asks of signed statements. One statement must meet all of it: were each field judged by itself, the
 * builder could come from one envelope and the signer from another.
 */
export function statementDemands(rule: AttestationRule): Demand[] {
  const checks = checksOf(rule);
  return checks.map(({ field, value, inWords }, place) => ({
    field,
    value,
    inWords,
    judge: place === 0 ? (attestation, where) => judgeAll(checks, attestation, where) : () => null,
  }));
}

function checksOf(rule: AttestationRule): Check[] {
  const { predicate_type, signed_by, builder, source, materials, verifier, verification_result } = rule;
  return [
    ...(predicate_type === undefined ? [] : [predicateCheck(predicate_type)]),
    ...(signed_by === undefined ? [] : [signerCheck(signed_by)]),
    ...(builder === undefined ? [] : [builderCheck(builder)]),
    ...(source === undefined ? [] : [sourceCheck(source)]),
    ...(materials === undefined ? [] : [materialsCheck(materials)]),
    ...(verifier === undefined ? [] : [verifierCheck(verifier)]),
    ...(verification_result === undefined ? [] : [resultCheck(verification_result)]),
  ];
}

function judgeAll(
  checks: readonly Check[],
  { name, statements = [] }: AttestationEvidence,
  place: Place,
): Unmet | null {
  const verified = statements.filter(({ isVerified }) => isVerified);
  const failed = failedOf(checks, verified, place);
  if (failed !== null) return failure(failed, name, place);
  let nearest: { check: Check; found: string; met: number } | null = null;
  for (const statement of verified) {
    const unmet = firstUnmet(checks, statement, place);
    if (unmet === null) return null;
    if (nearest === null || unmet.met > nearest.met) nearest = unmet;
  }
  if (nearest === null) return unproven(name, statements, place);
  const { check, found } = nearest;
  return {
    fails: false,
    context: { unmet: check.field },
    found: `'${name}' ${found}`,
    fix: `${check.step}, and report '${name}' again ${ofFlow(place.flow)}.`,
  };
}

function firstUnmet(checks: readonly Check[], statement: StatementEvidence, place: Place) {
  for (const [met, check] of checks.entries()) {
    const found = check.unmet(statement, place);
    if (found !== null) return { check, found, met };
  }
  return null;
}

/** What fails in a statement that is otherwise what the rule asks for: another statement does not make up for it. */
function failedOf(checks: readonly Check[], verified: readonly StatementEvidence[], place: Place): Failed | null {
  const others = checks.filter(({ failing }) => failing === undefined);
  for (const { field, failing } of checks) {
    for (const statement of failing === undefined ? [] : verified) {
      const found = failing?.(statement) ?? null;
      if (found !== null && firstUnmet(others, statement, place) === null) return { field, ...found };
    }
  }
  return null;
}

interface Failed extends Failing {
  readonly field: Check['field'];
}

function failure({ field, found, context, step }: Failed, name: string, { flow }: Place): Unmet {
  return {
    fails: true,
    context: { unmet: field, ...context },
    found: `'${name}' ${found}`,
    fix: `${step} and report '${name}' again ${ofFlow(flow)}, or override it with a reason.`,
  };
}

function unproven(name: string, statements: readonly StatementEvidence[], { flow }: Place): Unmet {
  const isWithdrawn = statements.some((statement) => statement.isWithdrawn);
  return {
    fails: false,
    context: { unmet: 'statement' },
    found: isWithdrawn
      ? `the org no longer trusts the signer of '${name}'`
      : `'${name}' has no statement that was read and verified`,
    fix: `Sign it with a key or identity that the org trusts, and report '${name}' again ${ofFlow(flow)}.`,
  };
}

function predicateCheck(value: string | readonly string[]): Check {
  const wanted = [value].flat();
  return {
    field: 'predicate_type',
    value,
    inWords: `, with predicate ${orOf(wanted)}`,
    unmet: ({ predicateType }) => (wanted.includes(predicateType) ? null : `has the predicate '${predicateType}'`),
    step: `Sign a statement with predicate ${orOf(wanted)}`,
  };
}

function signerCheck(value: SignedBy | readonly SignedBy[]): Check {
  const wanted = [value].flat().map(acceptedSigner);
  const names = wanted.map(({ inWords }) => inWords).join(' or ');
  return {
    field: 'signed_by',
    value,
    inWords: `, signed ${names}`,
    unmet: ({ signers }) =>
      signers.some((signer) => wanted.some(({ accepts }) => accepts(signer)))
        ? null
        : `is signed ${signers.map(signerInWords).join(' and ')}`,
    step: `Have it signed ${names}`,
  };
}

type Signer = StatementEvidence['signers'][number];

function acceptedSigner({ key, identity = '', issuer }: SignedBy): {
  inWords: string;
  accepts: (signer: Signer) => boolean;
} {
  if (key !== undefined) {
    return {
      inWords: `by key '${key}'`,
      accepts: (signer) => signer.kind === 'key' && (signer.name === key || signer.id === key),
    };
  }
  const isMatch = compileGlobs(identity);
  return {
    inWords: `as '${identity}' of '${issuer}'`,
    accepts: (signer) => signer.kind === 'identity' && signer.issuer === issuer && isMatch(signer.identity),
  };
}

function signerInWords(signer: Signer): string {
  return signer.kind === 'key' ? `by key '${signer.name}'` : `as '${signer.identity}' of '${signer.issuer}'`;
}

function builderCheck(value: string | readonly string[]): Check {
  const isMatch = compileGlobs(value);
  return {
    field: 'builder',
    value,
    inWords: `, built by ${orOf([value].flat())}`,
    unmet: ({ builder }) => {
      if (builder === undefined) return 'names no builder';
      return isMatch(builder) ? null : `is built by '${builder}'`;
    },
    step: `Build it with ${orOf([value].flat())}`,
  };
}

function sourceCheck(value: Source): Check {
  const { repository, ref, commit } = value;
  const parts = [
    ...(repository === undefined ? [] : [`repository ${orOf([repository].flat())}`]),
    ...(ref === undefined ? [] : [`ref ${orOf([ref].flat())}`]),
    ...(commit === undefined ? [] : ['the commit of the artifact']),
  ].join(' and ');
  const isRepository = compileGlobs(repository ?? '**');
  const isRef = compileGlobs(ref ?? '**');
  return {
    field: 'source',
    value,
    inWords: `, from ${parts}`,
    unmet: ({ source = {} }, { flow }) => {
      if (repository !== undefined && !(source.repository !== undefined && isRepository(source.repository)))
        return saysOf('repository', source.repository);
      if (ref !== undefined && !(source.ref !== undefined && isRef(source.ref))) return saysOf('ref', source.ref);
      if (commit === undefined || (source.commit !== undefined && source.commit === flow.commit)) return null;
      if (flow.commit === undefined) return 'is about an artifact that was reported without a commit';
      return `${saysOf('commit', source.commit)}, and the artifact was reported with '${flow.commit}'`;
    },
    step: `Build it from ${parts}`,
  };
}

function saysOf(part: string, found: string | undefined): string {
  return found === undefined ? `names no ${part}` : `is built from ${part} '${found}'`;
}

function materialsCheck(value: Materials): Check {
  const { allow, deny } = value;
  const isAllowed = compileGlobs(allow ?? '**');
  const isDenied = compileGlobs(deny ?? []);
  const parts = [
    ...(allow === undefined ? [] : [`only of ${orOf([allow].flat())}`]),
    ...(deny === undefined ? [] : [`not of ${orOf([deny].flat())}`]),
  ].join(' and ');
  return {
    field: 'materials',
    value,
    inWords: `, built ${parts}`,
    unmet: ({ materials = [], materialCount }) => {
      if (materials.length === 0) return 'names no materials';
      const refused = materials.find((material) => isDenied(material) || !isAllowed(material));
      if (refused !== undefined) return `is built of '${refused}'`;
      if (materialCount === undefined) return null;
      return `names ${materialCount} materials, of which Waymark reads the first ${materials.length}`;
    },
    failing: ({ materials = [] }) => {
      const refused = materials.filter((material) => isDenied(material) || !isAllowed(material));
      const [first] = refused;
      if (first === undefined) return null;
      const others = refused.length === 1 ? '' : ` and ${refused.length - 1} more`;
      return {
        found: `is built of '${first}'${others}, which the rule does not allow`,
        context: { materials: refused.slice(0, MATERIALS_SHOWN) },
        step: `Build it ${parts}`,
      };
    },
    step: `Build it ${parts}, with provenance that names its materials`,
  };
}

const MATERIALS_SHOWN = 10;

function verifierCheck(value: string | readonly string[]): Check {
  const isMatch = compileGlobs(value);
  return {
    field: 'verifier',
    value,
    inWords: `, verified by ${orOf([value].flat())}`,
    unmet: ({ verifier }) => {
      if (verifier === undefined) return 'names no verifier';
      return isMatch(verifier) ? null : `was verified by '${verifier}'`;
    },
    step: `Have it verified by ${orOf([value].flat())}`,
  };
}

function resultCheck(value: string | readonly string[]): Check {
  const wanted = [value].flat();
  return {
    field: 'verification_result',
    value,
    inWords: `, with result ${wanted.join(' or ')}`,
    unmet: ({ result }) => {
      if (result === undefined) return 'has no verification result';
      return wanted.includes(result) ? null : `has the result ${result}`;
    },
    failing: ({ result, verifier }) => {
      if (result !== 'FAILED') return null;
      return {
        found: `says that the verification${verifier === undefined ? '' : ` by '${verifier}'`} FAILED`,
        context: { verification_result: 'FAILED' },
        step: 'Fix what the verification found',
      };
    },
    step: `Get a verification with result ${wanted.join(' or ')}`,
  };
}

function orOf(values: readonly string[]): string {
  return values.map((value) => `'${value}'`).join(' or ');
}
