import { type Action, listActions } from '@waymark/contract';
import { z } from 'zod';
import { holds, listPage } from '../../lib/list-page.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg, useSearchState } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { SearchBox, Select } from '../../ui/Fields.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { PageHead } from '../../ui/PageHead.tsx';
import { Pager } from '../../ui/Pager.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { FailingNotice } from './FailingNotice.tsx';
import { KeyExpiryPanel } from './KeyExpiryPanel.tsx';
import { NotificationCard } from './NotificationCard.tsx';
import { NotificationForm } from './NotificationForm.tsx';
import { type Kind, newNotification, scopesOf } from './notification-draft.ts';
import { SignaturePanel } from './SignaturePanel.tsx';

const Search = z.object({
  q: z.string().optional(),
  kind: z.enum(['env', 'flow']).optional(),
  /** Just the one with this number. */
  number: z.coerce.number().int().optional(),
  page: z.coerce.number().int().min(1).default(1),
});
type Search = z.output<typeof Search>;

const PER_PAGE = 20;
const KINDS = [
  { id: '', label: 'All types' },
  { id: 'env', label: 'Environments' },
  { id: 'flow', label: 'Flows' },
];

export function NotificationsPage() {
  const org = useOrg();
  const [search, change] = useSearchState(Search);
  const actions = useRead(listActions, { params: { org } });
  const taken = (kind: Kind) => (actions.data ?? []).filter(({ type }) => type === kind).map(({ name }) => name);
  return (
    <>
      <PageHead
        title="Notifications"
        note="Triggers, targets, and delivery status."
        actions={
          <>
            <NewNotification kind="env" label="Create environment notification" taken={taken('env')} />
            <NewNotification kind="flow" label="Create flow notification" taken={taken('flow')} />
          </>
        }
      />
      <NewNotice
        kinds={['notification', 'target', 'notification_config']}
        loadedAt={actions.dataUpdatedAt}
        onShow={() => void actions.refetch()}
      />
      <Loaded of={actions}>
        {(all) => (
          <>
            <FailingNotice all={all} />
            {all.length === 0 ? (
              <NoNotifications org={org} />
            ) : (
              <Cards all={all} search={search} change={change} taken={taken} />
            )}
          </>
        )}
      </Loaded>
      <div className="mt-4 space-y-4">
        <KeyExpiryPanel />
        <SignaturePanel />
      </div>
    </>
  );
}

function NewNotification({
  kind,
  label,
  taken,
}: {
  readonly kind: Kind;
  readonly label: string;
  readonly taken: readonly string[];
}) {
  const whyNot = useWhyNot('manage_notifications');
  return (
    <DialogButton
      label={label}
      variant={kind === 'env' ? 'primary' : 'plain'}
      title={kind === 'env' ? 'Create environment notification' : 'Create flow notification'}
      inAddress={kind === 'env' ? 'create-environment-notification' : 'create-flow-notification'}
      wide
      whyNot={whyNot}
    >
      {(close) => <NotificationForm start={newNotification(kind)} taken={taken} onClose={close} />}
    </DialogButton>
  );
}

function fits(action: Action, { q, kind, number }: Search): boolean {
  if (number !== undefined) return action.number === number;
  return (kind === undefined || action.type === kind) && holds(q, action.name, ...scopesOf(action));
}

/** The server returns all of them at once, a thousand at most. */
function Cards({
  all,
  search,
  change,
  taken,
}: {
  readonly all: readonly Action[];
  readonly search: Search;
  readonly change: ReturnType<typeof useSearchState<typeof Search>>[1];
  readonly taken: (kind: Kind) => readonly string[];
}) {
  const shown = listPage(
    all.filter((action) => fits(action, search)),
    search.page,
    PER_PAGE,
  );
  return (
    <>
      <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
        <SearchBox
          label="Filter by name"
          value={search.q ?? ''}
          onChange={(q) => change({ q, number: undefined, page: undefined }, { replace: true })}
        />
        <Select
          label="Type"
          hideLabel
          className="w-44"
          value={search.kind ?? ''}
          onChange={(kind) =>
            change({ kind: (kind || undefined) as Kind | undefined, number: undefined, page: undefined })
          }
          choices={KINDS}
        />
        {search.number !== undefined && (
          <Button variant="quiet" onPress={() => change({ number: undefined })}>
            Show all {all.length}
          </Button>
        )}
      </div>
      <div className="space-y-4">
        {shown.rows.map((action) => (
          <NotificationCard key={action.number} of={action} taken={taken(action.type)} />
        ))}
        {shown.rows.length === 0 && (
          <Panel>
            <Empty title="No notifications match these filters">Remove a filter to see more.</Empty>
          </Panel>
        )}
      </div>
      {shown.pages > 1 && (
        <Pager
          page={shown.page}
          pages={shown.pages}
          total={shown.total}
          what="notifications"
          onPage={(page) => change({ page })}
        />
      )}
    </>
  );
}

function NoNotifications({ org }: { readonly org: string }) {
  return (
    <Panel>
      <Empty
        title="No notifications yet"
        command={`waymark notify create production-alerts --env production --on non-compliant --email ops@example.org --org ${org}`}
      >
        A notification sends events of environments or flows to a webhook, a chat, or email addresses. Create one above,
        or run:
      </Empty>
    </Panel>
  );
}
