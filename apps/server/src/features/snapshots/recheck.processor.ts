import { sql } from 'kysely';
import type { Entry, Processor } from '../../platform/journal/processor.ts';

/**
 * Asks for another look at environments that run what was just reported, and at environments whose snapshot was just
 * recorded: of two transactions at the same time, one that starts an artifact and one that reports it, neither may have
 * seen the other. The look itself is not taken here, where others wait in line.
 */
export function originRecheck(wake: () => void): Processor {
  return {
    name: 'origin-recheck',
    async apply(db, entries) {
      const reported = entries.filter((entry) => entry.type === 'artifact.reported');
      const recorded = entries.filter((entry) => entry.type === 'snapshot.recorded');
      if (reported.length + recorded.length === 0) return;
      await sql`
        insert into environment_recheck (org_id, environment_id, requested_at)
        select org_id, environment_id, now() from (
          select running.org_id, running.environment_id
          from unnest(${orgsOf(reported)}::uuid[], ${subjectsOf(reported)}::uuid[]) as reported (org_id, id)
          join artifact on artifact.org_id = reported.org_id and artifact.id = reported.id
          join running on running.org_id = artifact.org_id and running.fingerprint = artifact.fingerprint
            and running.until_index is null and running.fingerprint <> ''
          union
          select * from unnest(${orgsOf(recorded)}::uuid[], ${subjectsOf(recorded)}::uuid[])
        ) as concerned (org_id, environment_id)
        order by org_id, environment_id
        on conflict do nothing`.execute(db);
    },
    committed(entries) {
      if (entries.some(({ type }) => type === 'artifact.reported' || type === 'snapshot.recorded')) wake();
    },
  };
}

function orgsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.org_id);
}

function subjectsOf(entries: readonly Entry[]): string[] {
  return entries.map((entry) => entry.subject_id);
}
