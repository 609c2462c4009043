import { hash } from 'node:crypto';
import { type Call, send } from '../call.ts';
import type { Installation } from '../installation.ts';
import { type Artifact, entryOf, reportOf, reportPath } from './reports.ts';

/** What runs in an environment as of its last report, to repeat it or to change it step by step. */
export interface Current {
  same(): Call;
  changed(): Call;
}

/** Reports the loaded state, so that the server knows it as a report. */
export async function currentsOf(
  installation: Installation,
  key: string,
  environments: readonly string[],
): Promise<Current[]> {
  const rows = installation.sql(`
    select environment.name, string_agg(running.name || ' ' || running.fingerprint, ' ' order by running.name)
    from environment
    join running on running.org_id = environment.org_id and running.environment_id = environment.id
      and running.until_index is null
    where environment.name in ('${environments.join(`', '`)}')
    group by environment.name`);
  const currents: Current[] = [];
  for (const row of rows.split('\n')) {
    const [environment = '', running = ''] = row.split('|');
    const current = currentOf(environment, artifactsIn(running.split(' ')));
    await send(installation.url, key, current.same());
    currents.push(current);
  }
  return currents;
}

function artifactsIn(words: readonly string[]): Artifact[] {
  return words.flatMap((name, i) => (i % 2 === 0 ? [{ name, fingerprint: words[i + 1] ?? '' }] : []));
}

function currentOf(environment: string, running: readonly Artifact[]): Current {
  const path = reportPath(environment);
  let reported = reportOf(running);
  const entries = running.map(entryOf);
  let changes = 0;
  return {
    same: () => ({ method: 'PUT', path, body: reported }),
    changed() {
      const at = changes++ % running.length;
      const name = running[at]?.name ?? '';
      entries[at] = entryOf({ name, fingerprint: hash('sha256', `change ${changes} of ${environment}`) });
      reported = `{"artifacts":[${entries.join(',')}]}`;
      return { method: 'PUT', path, body: reported };
    },
  };
}
