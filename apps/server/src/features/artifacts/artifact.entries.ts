import { z } from 'zod';
import { defineEntry } from '../../platform/journal/entry.ts';

export const artifactReported = defineEntry({
  type: 'artifact.reported',
  version: 1,
  summary: 'An artifact was reported into a trail; `content_sha256` is the digest of the payload',
  payload: z.strictObject({
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
  }),
});
