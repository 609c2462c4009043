import { z } from 'zod';
import { defineEntry } from '../../../platform/journal/entry.ts';

const Run = z.strictObject({ name: z.string(), fingerprint: z.string(), instances: z.number().int() });
const Resized = z.strictObject({
  name: z.string(),
  fingerprint: z.string(),
  was: z.number().int(),
  now: z.number().int(),
});

const ProvenanceChange = z.strictObject({
  name: z.string(),
  fingerprint: z.string(),
  artifact_ids: z.array(z.string()).readonly(),
});

/** A difference that is too long for one entry is recorded in several consecutive ones. */
const Part = { part: z.number().int(), parts: z.number().int() };

const Compliance = z.enum(['compliant', 'non-compliant', 'unknown']);
const RunCompliance = z.enum(['compliant', 'non-compliant', 'unknown', 'waived']);

const Started = z.strictObject({ ...Run.shape, compliance: RunCompliance });

const Recorded = z.strictObject({
  environment: z.string(),
  index: z.number().int(),
  trigger: z.enum(['report', 'provenance', 'evidence', 'policy', 'allow-list', 'context', 'time']),
  compliance: z.strictObject({ was: Compliance, now: Compliance }),
  policies: z.array(z.strictObject({ name: z.string(), version: z.number().int() })),
  ...Part,
  started: z.array(Started),
  exited: z.array(Run),
  resized: z.array(Resized),
  provenance_changed: z.array(ProvenanceChange),
  judged: z.array(
    z.strictObject({ name: z.string(), fingerprint: z.string(), was: RunCompliance, now: RunCompliance }),
  ),
});

const RECORDED_SUMMARY =
  'A snapshot of an environment was created: artifacts that started or exited, instance changes, ' +
  'artifacts whose provenance or verdict changed, and the policies that judged';

/** No longer written. */
defineEntry({ type: 'snapshot.recorded', version: 2, summary: RECORDED_SUMMARY, payload: Recorded });

export const snapshotRecorded = defineEntry({
  type: 'snapshot.recorded',
  version: 3,
  summary:
    `${RECORDED_SUMMARY}; \`counts\` are those of the whole snapshot, \`policy_set_id\` the policies with their text, ` +
    '`verdicts_sha256` the digest of the verdicts that begin with it, each with the reports, the evidence, the policy ' +
    'decisions, and the waiver that it is based on',
  payload: z.strictObject({
    ...Recorded.shape,
    counts: z.strictObject({
      artifacts: z.number().int(),
      compliant: z.number().int(),
      non_compliant: z.number().int(),
      events: z.number().int(),
    }),
    policy_set_id: z.string().nullable(),
    verdicts_sha256: z.string(),
  }),
});

export const environmentScaled = defineEntry({
  type: 'environment.scaled',
  version: 1,
  summary: 'Only the instances of running artifacts changed; no snapshot was created',
  payload: z.strictObject({
    environment: z.string(),
    index: z.number().int(),
    ...Part,
    changes: z.array(Resized),
  }),
});
