import { compareRecord } from './compare.ts';
import { digestOf, type Json, objectOf, textOf } from './json.ts';
import type { JournalEntry, PackagedLedger } from './ledger.ts';
import type { Outcome } from './outcome.ts';
import type { PackagedRecord, PackagedRecords } from './package-records.ts';
import type { ReadPackage } from './read-package.ts';
import { expectedApproval, expectedArtifact } from './records/artifact.ts';
import { type ExpectedRecord, expectedAttestation, isSchema } from './records/attestation.ts';
import { type FlowFacts, isOfFlow, type PackageSubject } from './subject.ts';

/** What all records of a package are verified with. */
export interface Verifying {
  readonly read: ReadPackage;
  readonly records: PackagedRecords;
  readonly ledger: PackagedLedger;
  readonly subject: PackageSubject;
  readonly flow: FlowFacts;
  readonly outcome: Outcome;
}

const NO_ENTRY = 'no journal entry in the package proves it';
const ERASED = 'the content of its journal entry was erased';

/** The entries about evidence, by what they are about. Of an erased attestation, that of its erasure. */
export function evidenceIn(ledger: PackagedLedger) {
  const attestations = Map.groupBy(ledger.ofKind('attestation'), ({ subjectId }) => subjectId);
  const counting = [...attestations.values()].flatMap((entries) => {
    const erased = entries.find(({ type }) => type === 'attestation.erased');
    const recorded = entries.find(({ type }) => /^attestation\.(recorded|overridden)$/.test(type));
    const entry = recorded?.payload ? recorded : erased;
    return entry?.payload ? [withTimes(entry, recorded)] : [];
  });
  const withPayload = (kind: string, type: string) =>
    ledger.ofKind(kind).filter((entry) => entry.type === type && entry.payload !== null);
  return {
    attestations: counting,
    artifacts: withPayload('artifact', 'artifact.reported'),
    approvals: withPayload('approval', 'approval.recorded'),
  };
}

/** An erased attestation was received when its first entry was recorded. */
function withTimes(entry: JournalEntry, recorded: JournalEntry | undefined): JournalEntry {
  return recorded ? { ...entry, at: recorded.at, index: recorded.index } : entry;
}

/** Verifies every record of evidence. */
export function verifyEvidence(verifying: Verifying): void {
  const { attestations, artifacts, approvals } = evidenceIn(verifying.ledger);
  const idOf = (member: string) => (record: PackagedRecord) => textOf(record.value[member]);
  verifyFolder(verifying, 'attestations', attestations, {
    idOf: idOf('attestation_id'),
    keyOf: ({ subjectId }) => subjectId,
    expected: expectedAttestation,
  });
  verifyFolder(verifying, 'artifacts', artifacts, {
    idOf: idOf('id'),
    keyOf: ({ subjectId }) => subjectId,
    expected: expectedArtifact,
  });
  verifyFolder(verifying, 'approvals', approvals, {
    idOf: (record) => String(record.value['approval_number']),
    keyOf: ({ payload }) => String(payload?.['number']),
    expected: expectedApproval,
  });
  verifyTypes(verifying);
  verifyAttachments(verifying);
  const count = verifying.records.in('attestations').filter(({ path }) => verifying.outcome.proven.has(path)).length;
  const which = count === 1 ? 'the verdict on 1 attestation' : `the verdicts on ${count} attestations`;
  if (count > 0) verifying.outcome.recorded.push(`${which}, which the server gave when it received the evidence`);
}

interface Folder {
  /** The name of its file. */
  idOf(record: PackagedRecord): string;
  keyOf(entry: JournalEntry): string;
  expected(entry: JournalEntry, actual: Json, subject: PackageSubject, ledger: PackagedLedger): ExpectedRecord;
}

function verifyFolder(verifying: Verifying, folder: string, entries: readonly JournalEntry[], of: Folder): void {
  const byKey = new Map(entries.map((entry) => [of.keyOf(entry), entry]));
  for (const record of verifying.records.in(folder)) {
    const id = of.idOf(record);
    if (record.path !== `records/${folder}/${id}.json`)
      verifying.outcome.findings.add(record.path, `is about another ${folder.slice(0, -1)}: ${id}`);
    checkPlace(verifying, record);
    const entry = byKey.get(id);
    if (entry) verifyRecord(verifying, record, entry, of);
    else leaveUnproven(verifying, record, verifying.ledger.of(folder.slice(0, -1), id).length > 0);
  }
}

function checkPlace({ subject, outcome }: Verifying, { path, value }: PackagedRecord): void {
  const { org, flow_name: flow, trail_name: trail } = value;
  if (org !== subject.org) outcome.findings.add(path, `is a record of another org than ${subject.org}`);
  if (subject.kind === 'environment') return;
  if (flow !== subject.flowName || trail !== subject.trailName)
    outcome.findings.add(path, `is of another trail than ${subject.flowName}/${subject.trailName}`);
}

function verifyRecord(
  { ledger, subject, flow, outcome }: Verifying,
  { path, value }: PackagedRecord,
  entry: JournalEntry,
  { expected }: Folder,
): void {
  const { findings, proven } = outcome;
  if (!isOfFlow(flow, subject.flowName, entry))
    findings.add(path, `was recorded in flow ${textOf(entry.payload?.['flow'])}, not ${subject.flowName}`);
  const { record, problems } = expected(entry, value, subject, ledger);
  for (const problem of problems) findings.add(path, problem);
  compareRecord(path, value, record, findings);
  proven.add(path);
}

function leaveUnproven({ outcome }: Verifying, record: PackagedRecord, isErased: boolean): void {
  checkOwnDigest(record, outcome);
  outcome.unproven.set(record.path, isErased ? ERASED : NO_ENTRY);
}

/** Without an entry, all that can be said is whether the record agrees with itself. */
function checkOwnDigest({ path, value }: PackagedRecord, { findings }: Outcome): void {
  const { sent = null, content_sha256: recorded, erased } = value;
  if (erased && sent === null && recorded === null) return;
  const actual = digestOf(sent);
  if (actual !== recorded)
    findings.add(
      path,
      `differs from what was recorded: its digest is ${actual}, but ${JSON.stringify(recorded)} was recorded`,
    );
}

/** The record of an attestation names the version of the custom type that judged it. */
function requireTypes({ records, outcome }: Verifying): void {
  const types = records.in('types');
  for (const { path, value } of records.in('attestations')) {
    const { type_version: version, judged_by: judgedBy } = value;
    const [, name] = /^custom:(.+)$/.exec(textOf(value['attestation_type'])) ?? [];
    if (name === undefined || typeof version !== 'number') continue;
    const { type_id: id = null } = objectOf(judgedBy);
    const isThere = types.some(
      ({ value: type }) =>
        type['version'] === version && (id === null ? type['name'] === name : type['type_id'] === id),
    );
    if (!isThere) outcome.findings.add(path, `was judged by version ${version} of type ${name}, whose file is missing`);
  }
}

function verifyTypes(verifying: Verifying): void {
  requireTypes(verifying);
  const { records, ledger, outcome } = verifying;
  const { findings, proven, unproven } = outcome;
  for (const { path, value } of records.in('types')) {
    const { type_id: id, version, type_schema_text: text } = value;
    const entry = ledger
      .of('attestation_type', textOf(id))
      .find(({ type, payload }) => type === 'attestation_type.versioned' && payload?.['version'] === version);
    if (!entry?.payload) {
      unproven.set(path, NO_ENTRY);
      continue;
    }
    const { name, rules, summary, schema_sha256: schema } = entry.payload;
    if (!isSchema(text, schema)) findings.add(path, 'type_schema_text is not the schema that was recorded');
    const expected = {
      type_id: id,
      name,
      version,
      type_schema: typeof text === 'string' ? parsedOrNull(text) : null,
      type_schema_text: text,
      rules: rules ?? [],
      summary: summary ?? [],
    };
    compareRecord(path, value, expected, findings);
    proven.add(path);
  }
}

function parsedOrNull(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** An attachment is in a folder named after its digest, and a record names both. */
function verifyAttachments({ read, records, outcome }: Verifying): void {
  const { findings, proven, unproven } = outcome;
  const named = records.in('attestations').filter(({ value }) => typeof value['attachment'] === 'string');
  for (const { path, value } of named) {
    const attachment = textOf(value['attachment']);
    const file = read.files.get(attachment);
    if (!file) findings.add(path, `names the attachment ${attachment}, which is missing`);
    else if (file.sha256 !== value['evidence_archive_fingerprint'])
      findings.add(path, `was recorded with a different attachment than ${attachment}`);
    else if (proven.has(path)) proven.add(attachment);
  }
  const names = new Set(named.map(({ value }) => value['attachment']));
  for (const path of read.files.keys()) {
    if (!path.startsWith('attachments/') || proven.has(path)) continue;
    if (names.has(path)) unproven.set(path, 'no proven record names it');
    else findings.add(path, 'is attached to no record of the package');
  }
}
