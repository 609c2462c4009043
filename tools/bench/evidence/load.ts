import { randomUUIDv7 } from 'node:crypto';
import type { Installation } from '../installation.ts';
import { copyInto } from './copy.ts';
import { evidenceTables, flowName, lastReceipt, type Size, TEMPLATE } from './rows.ts';

/** Fills the org `acme` as if so many trails had been reported through the API, without the journal. */
export async function loadEvidence(installation: Installation, size: Size): Promise<void> {
  const org = installation.sql(`select id from org where name = 'acme'`);
  const flowIds = Array.from({ length: size.flows }, () => randomUUIDv7());
  const now = new Date().toISOString();
  await copyInto(installation.databaseUrl, {
    name: 'flow',
    columns: `org_id, id, name, description, visibility, template, repo_url, revision, created_at, created_by,
      last_modified_at, latest_activity_at`,
    rows: flowIds.map((id, i) => [org, id, flowName(i, size), '', 'private', TEMPLATE, '', 1, now, 'ada', now, now]),
  });
  const templateId = installation.sql(`
    insert into flow_template (org_id, id, content)
    select distinct org_id, flow_template_id(template, null), template from flow where org_id = '${org}' returning id`);
  for (const table of evidenceTables(org, templateId, flowIds, size)) await copyInto(installation.databaseUrl, table);
  installation.sql(`select setval('receipt', ${lastReceipt(size)})`);
  // Otherwise both would start by themselves during the measurement.
  installation.sql('vacuum analyze');
  installation.sql('checkpoint');
}
