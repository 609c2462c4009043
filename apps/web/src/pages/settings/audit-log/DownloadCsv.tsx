import { getMembershipAuditLog, type MembershipEvent } from '@waymark/contract';
import { useState } from 'react';
import { client } from '../../../lib/client.ts';
import { saveAs } from '../../../lib/save-as.ts';
import { showToast } from '../../../lib/toasts.ts';
import { Button } from '../../../ui/Button.tsx';
import { type AuditLogSearch, queryOf } from './audit-log-search.ts';
import { csvOf } from './csv.ts';

const ROWS_MAX = 20_000;
const HEADER = ['id', 'when', 'change', 'login', 'name', 'role', 'previous_role', 'changed_by', 'source'];

/** Everything that matches the filter, not only what is on the screen. */
export function DownloadCsv({ org, search }: { readonly org: string; readonly search: AuditLogSearch }) {
  const [isPending, setPending] = useState(false);
  const download = async () => {
    setPending(true);
    try {
      const events = await eventsOf(org, search);
      saveAs(new Blob([csvOf(HEADER, events.map(rowOf))], { type: 'text/csv' }), `membership-audit-log-${org}.csv`);
      if (events.length === ROWS_MAX)
        showToast(
          'bad',
          `The file is incomplete: it is limited to ${ROWS_MAX.toLocaleString('en')} entries. Choose a shorter period`,
        );
    } catch (error) {
      showToast('bad', error instanceof Error ? error.message : 'Couldn’t create the file');
    } finally {
      setPending(false);
    }
  };
  return (
    <Button isDisabled={isPending} onPress={() => void download()}>
      {isPending ? 'Download CSV …' : 'Download CSV'}
    </Button>
  );
}

async function eventsOf(org: string, search: AuditLogSearch): Promise<readonly MembershipEvent[]> {
  const events: MembershipEvent[] = [];
  for await (const page of client.pages(getMembershipAuditLog, {
    params: { org },
    query: { ...queryOf(search), per_page: 100 },
  })) {
    events.push(...page.events);
    if (events.length >= ROWS_MAX) break;
  }
  return events.slice(0, ROWS_MAX);
}

function rowOf(event: MembershipEvent): readonly string[] {
  return [
    event.id,
    new Date(event.created_at * 1000).toISOString(),
    event.event_type,
    event.user_login,
    event.user,
    event.role,
    event.previous_role,
    event.changed_by,
    event.source,
  ];
}
