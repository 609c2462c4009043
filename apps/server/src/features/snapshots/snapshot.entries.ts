import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Run = z.strictObject({ name: z.string(), fingerprint: z.string(), instances: z.number().int() });
const Resized = z.strictObject({
  name: z.string(),
  fingerprint: z.string(),
  was: z.number().int(),
  now: z.number().int(),
});

/** A difference that is too long for one entry is told in several, which follow each other. */
const Part = { part: z.number().int(), parts: z.number().int() };

export const snapshotRecorded = defineEntry({
  type: 'snapshot.recorded',
  version: 1,
  summary:
    'What runs in an environment changed and has a new snapshot: what started, what exited, whose instances changed ' +
    'with it and of what else was learned where it came from',
  payload: z.strictObject({
    environment: z.string(),
    index: z.number().int(),
    trigger: z.enum(['report', 'provenance']),
    ...Part,
    started: z.array(Run),
    exited: z.array(Run),
    resized: z.array(Resized),
    traced: z.array(
      z.strictObject({ name: z.string(), fingerprint: z.string(), artifact_ids: z.array(z.string()).readonly() }),
    ),
  }),
});

export const environmentScaled = defineEntry({
  type: 'environment.scaled',
  version: 1,
  summary: 'Instances of what runs in an environment changed, and nothing else; there is no new snapshot',
  payload: z.strictObject({
    environment: z.string(),
    index: z.number().int(),
    ...Part,
    changes: z.array(Resized),
  }),
});
