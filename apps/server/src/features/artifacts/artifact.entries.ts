import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

const Reported = z.strictObject({
  flow: z.string(),
  trail: z.string(),
  fingerprint: z.string(),
  filename: z.string(),
  template_name: z.string().optional(),
  commit: z.string().optional(),
  build_url: z.string(),
  content_sha256: z.string(),
  evidence_id: z.string().optional(),
  claimed_at: z.number().optional(),
});

const SUMMARY = 'An artifact was reported into a trail; `content_sha256` is the digest of the payload';

/** No longer written. */
defineEntry({ type: 'artifact.reported', version: 1, summary: SUMMARY, payload: Reported });

export const artifactReported = defineEntry({
  type: 'artifact.reported',
  version: 2,
  summary: `${SUMMARY}, \`receipt\` its place in the order in which the org received evidence`,
  payload: z.strictObject({ ...Reported.shape, receipt: z.number().int() }),
});
