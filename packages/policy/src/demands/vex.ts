import { z } from 'zod';
import { isComponent } from '../component-match.ts';
import type { AttestationEvidence } from '../evidence.ts';
import { listed } from '../in-words.ts';
import type { FindingEvidence, NeededReading, Readings, VexEvidence, VexReading } from '../readings.ts';
import { TRUST_LEVELS } from '../trust-level.ts';

/** How much the origin of a VEX document must be verified before it counts. */
export const VexTrust = z.enum(['signature', 'workload_identity', 'api_key', 'off']);
export type VexTrust = z.output<typeof VexTrust>;
export const VEX_TRUST_DEFAULT: VexTrust = 'signature';

const EXCLUDED_SHOWN = 20;

/** Types of signed documents that may be VEX. */
const VEX = /^https:\/\/(openvex\.dev|cyclonedx\.org)\//;

/** A statement by which a finding does not count. */
export interface Exclusion {
  readonly finding: FindingEvidence;
  readonly statement: VexEvidence;
  readonly stated: Stated;
}

export type ExclusionOf = (finding: FindingEvidence) => Exclusion | undefined;

interface Stated {
  readonly statement: VexEvidence;
  readonly by: AttestationEvidence;
  readonly reading: VexReading;
  /** Seconds. */
  readonly at: number;
}

/** The evidence in a flow, and what was read from it. */
interface Documents {
  readonly attestations: readonly AttestationEvidence[];
  readonly readings?: Readings | undefined;
}

/** What is read of the VEX documents in a flow. */
export function vexNeeded(others: readonly AttestationEvidence[], trust: VexTrust): NeededReading[] {
  return others.flatMap((one) => (one.vex && isTrusted(one, trust) ? [{ id: one.vex.set, count: one.vex.count }] : []));
}

/** Returns how a finding is excluded by the VEX documents in the flow. Undefined where there are none. */
export function excludingBy(trust: VexTrust, documents: Documents): ExclusionOf | undefined {
  const byName = new Map<string, Stated[]>();
  for (const stated of statedIn(trust, documents)) {
    for (const name of new Set(stated.statement.names.map((one) => one.toLowerCase()))) {
      const known = byName.get(name);
      if (known) known.push(stated);
      else byName.set(name, [stated]);
    }
  }
  return byName.size === 0 ? undefined : (finding) => exclusionOf(finding, byName);
}

function* statedIn(trust: VexTrust, { attestations, readings }: Documents): Generator<Stated> {
  for (const by of attestations) {
    const reading = by.vex && isTrusted(by, trust) ? readings?.get(by.vex.set) : undefined;
    if (reading?.kind !== 'vex') continue;
    for (const statement of reading.statements) {
      // What claims to be from the future is as new as its receipt.
      yield { statement, by, reading, at: Math.min(statement.at ?? by.at, by.at) };
    }
  }
}

/** A document that was overridden or is not compliant says nothing. */
function isTrusted({ trust, isCompliant, isOverride }: AttestationEvidence, wanted: VexTrust): boolean {
  if (wanted === 'off' || !isCompliant || isOverride) return false;
  return TRUST_LEVELS.indexOf(trust) >= TRUST_LEVELS.indexOf(wanted);
}

/** By the newest statements on it, which must all agree. */
function exclusionOf(finding: FindingEvidence, byName: ReadonlyMap<string, readonly Stated[]>): Exclusion | undefined {
  const names = [finding.id, ...(finding.aliases ?? [])];
  const all = names
    .flatMap((name) => byName.get(name.toLowerCase()) ?? [])
    .filter(({ statement }) => isAbout(statement, finding));
  const newest = all.reduce((time, { at }) => Math.max(time, at), 0);
  const [stated, ...others] = all.filter(({ at }) => at === newest);
  if (stated === undefined || ![stated, ...others].every(({ statement }) => excludes(statement))) return undefined;
  return { finding, statement: stated.statement, stated };
}

function isAbout({ components }: VexEvidence, { component }: FindingEvidence): boolean {
  if (components === undefined) return true;
  return component !== undefined && components.some((wanted) => isComponent(wanted, component));
}

function excludes({ status, justification }: VexEvidence): boolean {
  return status === 'fixed' || (status === 'not_affected' && justification !== undefined);
}

/** For the context of a resolution. */
export function excludedContext(exclusions: readonly Exclusion[]): Readonly<Record<string, unknown>> | undefined {
  if (exclusions.length === 0) return undefined;
  const shown = exclusions.slice(0, EXCLUDED_SHOWN).map(({ finding: { id }, statement, stated }) => ({
    id,
    status: statement.status,
    ...(statement.justification === undefined ? {} : { justification: statement.justification }),
    attestation_name: stated.by.name,
    ...vouchedBy(stated),
  }));
  return { vex: { excluded: exclusions.length, findings: shown } };
}

/** Who vouches for it: the verified signers, or whom the document names. */
function vouchedBy({ by, reading }: Stated): { by?: string } {
  const signers = (by.statements ?? []).flatMap((one) =>
    one.isVerified && VEX.test(one.predicateType) ? one.signers : [],
  );
  const names = signers.map((signer) => (signer.kind === 'key' ? signer.name : signer.identity));
  const text = names.length > 0 ? [...new Set(names)].join(', ') : reading.author;
  return text === '' ? {} : { by: text };
}

const Excluded = z.object({
  excluded: z.number(),
  findings: z.array(
    z.object({ id: z.string(), status: z.string(), attestation_name: z.string(), by: z.string().optional() }),
  ),
});

/** "VEX excludes CVE-1 (not affected, by 'vex' of Acme)", or nothing. */
export function excludedInWords(context: unknown): string {
  const { data } = Excluded.safeParse(context);
  if (!data) return '';
  const all = data.findings.map(({ id, status, attestation_name: name, by }) => {
    return `${id} (${status.replaceAll('_', ' ')}, by '${name}'${by === undefined ? '' : ` of ${by}`})`;
  });
  return `VEX excludes ${listed(all, data.excluded)}`;
}

export interface ExcludedBy {
  readonly attestation: AttestationEvidence;
  readonly status: VexEvidence['status'];
  readonly justification: string | null;
  /** The verified signers, or the author that the document names. */
  readonly by: string | null;
}

/** Returns what excludes findings where a rule accepts any document that was reported with a key. */
export function excludedByVex(
  attestations: readonly AttestationEvidence[],
  readings: Readings,
): (finding: FindingEvidence) => ExcludedBy | null {
  const exclusionOf = excludingBy('api_key', { attestations, readings });
  return (finding) => {
    const exclusion = exclusionOf?.(finding);
    if (!exclusion) return null;
    const { statement, stated } = exclusion;
    return {
      attestation: stated.by,
      status: statement.status,
      justification: statement.justification ?? null,
      by: vouchedBy(stated).by ?? null,
    };
  };
}
