import {
  type DecisionContext,
  decide,
  POLICY_ENGINE,
  parseStoredPolicy,
  type Reading,
  type Readings,
  readEvidence,
  readingsFor,
  readReading,
} from '@waymark/policy';
import { compareRecord } from '../compare.ts';
import { contentId, isObject, type Json, objectOf, parseJson, sha256Of, textOf } from '../json.ts';
import type { PackagedRecord } from '../package-records.ts';
import { evidenceIn, type Verifying } from '../verify-evidence.ts';

/** A decision of the package that was made again. */
export interface DecisionFacts {
  readonly policyName: string;
  readonly policyVersion: number;
  readonly evidenceId: string;
  /** The artifact that the evidence is about. */
  readonly fingerprint: string;
  readonly status: string;
  readonly context: Json;
}

const NO_ENTRY = 'no journal entry in the package proves it';

/** Verifies policies, evidence, and decisions, which it makes again. Returns the decisions by id. */
export function verifyDecisions(verifying: Verifying): Map<string, DecisionFacts> {
  const policies = verifyPolicies(verifying);
  const evidence = verifyStates(verifying);
  const readings = verifyReadings(verifying);
  const decisions = new Map<string, DecisionFacts>();
  const { records, outcome } = verifying;
  for (const record of records.in('decisions')) {
    const facts = verifyDecision(record, { policies, evidence, readings }, verifying);
    if (facts) decisions.set(textOf(record.value['id']), facts);
  }
  const count = decisions.size;
  if (count > 0)
    outcome.recomputed.push(
      `${count} policy ${count === 1 ? 'decision' : 'decisions'}, made again from policy and evidence`,
    );
  return decisions;
}

function verifyPolicies({ records, ledger, outcome }: Verifying): Map<string, string> {
  const texts = new Map<string, string>();
  for (const { path, value } of records.in('policies')) {
    const { policy_id: id, version, policy_yaml: yaml } = value;
    const entry = ledger
      .of('policy', textOf(id))
      .find(({ type, payload }) => type === 'policy.versioned' && payload?.['version'] === version);
    if (path !== `records/policies/${id}@v${version}.json`) outcome.findings.add(path, 'is about another policy');
    if (!entry?.payload) {
      outcome.unproven.set(path, NO_ENTRY);
      continue;
    }
    const { name, comment, policy_yaml, policy_sha256 } = entry.payload;
    const expected = {
      policy_id: id,
      name,
      version,
      comment,
      policy_yaml,
      created_at: entry.at,
      created_by: entry.actor,
    };
    compareRecord(path, value, expected, outcome.findings);
    if (sha256Of(textOf(yaml)) !== policy_sha256)
      outcome.findings.add(path, 'policy_yaml has another digest than was recorded');
    outcome.proven.add(path);
    texts.set(`${id} ${version}`, textOf(policy_yaml));
  }
  return texts;
}

/** The state of evidence about an artifact: its id is derived from it, and journal entries prove what it consists of. */
function verifyStates(verifying: Verifying): Map<string, string> {
  const { records, outcome, ledger } = verifying;
  const states = new Map<string, string>();
  const known = new Map(evidenceIn(ledger).attestations.map((entry) => [entry.subjectId, entry]));
  for (const { path, value } of records.in('evidence')) {
    const { id, content } = value;
    compareRecord(path, value, { id: contentId(textOf(content)), content }, outcome.findings);
    if (path !== `records/evidence/${id}.json`) outcome.findings.add(path, 'is about other evidence');
    const state = parseJson(new TextEncoder().encode(textOf(content)));
    if (!isObject(state)) {
      outcome.findings.add(path, 'has no content that could be evidence');
      continue;
    }
    states.set(textOf(id), textOf(content));
    outcome.proven.add(path);
    for (const flow of flowsIn(state)) checkFlow(verifying, path, flow, known);
  }
  if (states.size > 0) {
    const what = 'what evidence says of flows (status, because, fix, tags), of reasons, and of pull requests';
    outcome.recorded.push(`${what}: a package of the trail proves that`);
  }
  return states;
}

/** Lists that evidence names by the digest of their content, such as the findings of a scan. */
function verifyReadings({ records, outcome }: Verifying): Map<string, Reading> {
  const readings = new Map<string, Reading>();
  for (const { path, value } of records.in('readings')) {
    const { id, content } = value;
    compareRecord(path, value, { id: sha256Of(textOf(content)), content }, outcome.findings);
    if (path !== `records/readings/${id}.json`) outcome.findings.add(path, 'is another reading');
    const reading = readingOf(textOf(content));
    if (reading === null) {
      outcome.findings.add(path, 'has no content that could be a reading');
      continue;
    }
    readings.set(textOf(id), reading);
    outcome.proven.add(path);
  }
  if (readings.size > 0)
    outcome.recorded.push(
      'what was read from the results of scans and VEX documents, and when findings were first seen',
    );
  return readings;
}

function readingOf(content: string): Reading | null {
  const value = parseJson(new TextEncoder().encode(content));
  if (!isObject(value)) return null;
  const isVex = value['kind'] === 'vex' && Array.isArray(value['statements']);
  const isFindings = value['kind'] === 'findings' && Array.isArray(value['findings']) && isObject(value['others']);
  return isVex || isFindings ? readReading(content) : null;
}

function flowsIn(state: Json): Json[] {
  const listOf = (value: unknown) => (Array.isArray(value) ? value.map(objectOf) : []);
  return [...listOf(state['flows']), ...listOf(state['platforms']).flatMap(({ flows }) => listOf(flows))];
}

type Entries = ReadonlyMap<string, { readonly payload: Json | null; readonly at: number; readonly type: string }>;

function checkFlow({ ledger, outcome }: Verifying, path: string, flow: Json, known: Entries): void {
  const artifact = ledger.of('artifact', textOf(flow['artifactId'])).find(({ payload }) => payload !== null);
  if (!artifact) outcome.unproven.set(path, 'no journal entry in the package proves the report of its artifact');
  const list = flow['attestations'];
  for (const attestation of Array.isArray(list) ? list.map(objectOf) : []) {
    const entry = known.get(textOf(attestation['id']));
    if (!entry?.payload) {
      outcome.unproven.set(path, 'no journal entry in the package proves one of its attestations');
      continue;
    }
    const { id, name, isCompliant, trust, control, at, isOverride } = attestation;
    const { name: wasNamed, is_compliant, trust: wasTrusted, control: ofControl = null } = entry.payload;
    compareRecord(
      `${path}, attestation ${textOf(id)}`,
      { name, isCompliant, trust, control, at, isOverride },
      {
        name: wasNamed,
        isCompliant: is_compliant,
        trust: wasTrusted,
        control: ofControl,
        at: entry.at,
        isOverride: entry.payload['overrides'] !== undefined,
      },
      outcome.findings,
    );
  }
}

interface Inputs {
  readonly policies: ReadonlyMap<string, string>;
  readonly evidence: ReadonlyMap<string, string>;
  readonly readings: Readings;
}

function verifyDecision(
  { path, value }: PackagedRecord,
  { policies, evidence, readings }: Inputs,
  { outcome }: Verifying,
): DecisionFacts | undefined {
  const { findings, unproven, recorded } = outcome;
  const { id, policy_id, policy_version, policy_name, evidence_id, context, engine, status } = value;
  if (path !== `records/decisions/${id}.json`) findings.add(path, 'is another decision');
  const yaml = policies.get(`${policy_id} ${policy_version}`);
  const content = evidence.get(textOf(evidence_id));
  if (yaml === undefined || content === undefined) {
    unproven.set(path, yaml === undefined ? 'its policy is not proven' : 'its evidence is not in the package');
    return undefined;
  }
  if (engine !== POLICY_ENGINE) {
    recorded.push(`decision ${id}: ${textOf(engine)} made it, and this is ${POLICY_ENGINE}`);
    unproven.set(path, 'another version of the engine made it');
    return undefined;
  }
  const parsed = parseStoredPolicy(yaml);
  if ('problems' in parsed) {
    unproven.set(path, 'its policy cannot be read');
    return undefined;
  }
  const identity = { name: textOf(policy_name), version: Number(policy_version) };
  const read = readEvidence(content);
  for (const { id: needed } of readingsFor(parsed.policy, read)) {
    if (readings.has(needed)) continue;
    findings.add(path, `needs the reading ${needed}, which is missing`);
    return undefined;
  }
  const judged = decide(parsed.policy, identity, read, { ...contextOf(textOf(context)), readings });
  const expected = {
    id: contentId([policy_id, policy_version, evidence_id, engine, context].join(' ')),
    ...{ policy_id, policy_version, policy_name, evidence_id, context, engine },
    status: judged.status,
    decision: {
      policy_name: identity.name,
      policy_version: identity.version,
      status: judged.status,
      rule_evaluations: judged.ruleEvaluations,
    },
    reasons: judged.reasons,
  };
  compareRecord(path, value, JSON.parse(JSON.stringify(expected)) as Json, findings);
  outcome.proven.add(path);
  const read_context = objectOf(parseJson(new TextEncoder().encode(textOf(context))));
  return {
    policyName: identity.name,
    policyVersion: identity.version,
    evidenceId: textOf(evidence_id),
    fingerprint: read.fingerprint,
    status: textOf(status),
    context: read_context,
  };
}

/** What the policy does not read is left out, and makes no difference. */
function contextOf(text: string): DecisionContext {
  const { artifact, at, environment } = objectOf(parseJson(new TextEncoder().encode(text)));
  const time = typeof at === 'number' ? { at } : {};
  if (!isObject(environment)) return { artifactName: textOf(artifact), environment: null, ...time };
  const tags = Object.fromEntries(
    Object.entries(objectOf(environment['tags'])).map(([key, tag]) => [key, String(tag)]),
  );
  return { artifactName: textOf(artifact), environment: { name: textOf(environment['name']), tags }, ...time };
}
