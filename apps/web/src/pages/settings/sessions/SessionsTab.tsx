import { listSessions, revokeSession } from '@waymark/contract';
import { useState } from 'react';
import type { z } from 'zod';
import { leaveFor } from '../../../lib/base-path.ts';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { showToast } from '../../../lib/toasts.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { StateBadge } from '../../../ui/StateBadge.tsx';
import { Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { browserName } from './browser-name.ts';

type Session = z.output<(typeof listSessions)['reply']>[number];

const METHODS: Record<Session['method'], string> = {
  link: 'email link',
  sso: 'single sign-on',
  set_up: 'initial setup',
};

type Open = { readonly kind: 'one'; readonly session: Session } | { readonly kind: 'others' };

export function SessionsTab() {
  const [open, setOpen] = useState<Open>();
  const sessions = useRead(listSessions, {});
  const others = (sessions.data ?? []).filter(({ current }) => !current);
  const close = () => setOpen(undefined);
  return (
    <>
      <Panel
        flush
        title="Your sessions"
        actions={
          <Button
            variant="danger"
            whyNot={others.length === 0 ? 'This is your only session' : undefined}
            onPress={() => setOpen({ kind: 'others' })}
          >
            End all other sessions
          </Button>
        }
      >
        <Loaded of={sessions} lines={3}>
          {(rows) => (
            <DataTable
              caption="Your sessions"
              columns={columnsOf((session) => setOpen({ kind: 'one', session }))}
              rows={rows}
              rowKey={({ id }) => id}
            />
          )}
        </Loaded>
      </Panel>
      {open?.kind === 'one' && <EndOne session={open.session} onClose={close} />}
      {open?.kind === 'others' && <EndOthers sessions={others} onClose={close} />}
    </>
  );
}

function columnsOf(onEnd: (session: Session) => void): readonly Column<Session>[] {
  return [
    {
      key: 'where',
      title: 'Browser',
      wide: true,
      cell: ({ user_agent, address, current }) => (
        <div className="min-w-0">
          <span className="font-medium" title={user_agent}>
            {browserName(user_agent)}
          </span>{' '}
          {current && <StateBadge state="compliant" word="This session" />}
          <div className="text-[13px] text-quiet">from {address === '' ? 'an unknown address' : address}</div>
        </div>
      ),
    },
    { key: 'method', title: 'Signed in by', cell: ({ method }) => METHODS[method] },
    { key: 'created', title: 'Signed in', cell: ({ created_at }) => <Time at={created_at} />, secondary: true },
    { key: 'seen', title: 'Last seen', cell: ({ last_seen_at }) => <Time at={last_seen_at} /> },
    { key: 'expires', title: 'Expires if idle', cell: ({ expires_at }) => <Time at={expires_at} />, secondary: true },
    {
      key: 'actions',
      title: 'Actions',
      cell: (session) => (
        <Button
          variant="remove"
          aria-label={`End the session of ${browserName(session.user_agent)} from ${session.address}`}
          onPress={() => onEnd(session)}
        >
          End
        </Button>
      ),
    },
  ];
}

function EndOne({ session, onClose }: { readonly session: Session; readonly onClose: () => void }) {
  const write = useWrite(revokeSession, {
    done: 'Session ended',
    onDone: () => (session.current ? leaveFor('/sign-in?signed-out') : onClose()),
  });
  return (
    <ConfirmDialog
      title={session.current ? 'End this session' : `End the session of ${browserName(session.user_agent)}`}
      confirm="End session"
      write={write}
      onConfirm={() => write.mutate({ params: { session_id: session.id } })}
      onClose={onClose}
    >
      <p>
        {session.current ? 'You are signed out here at once.' : 'That browser is signed out at once.'} Your keys keep
        working.
      </p>
    </ConfirmDialog>
  );
}

function EndOthers({ sessions, onClose }: { readonly sessions: readonly Session[]; readonly onClose: () => void }) {
  const write = useWrite(revokeSession);
  const [isPending, setPending] = useState(false);
  const endAll = async () => {
    setPending(true);
    try {
      for (const { id } of sessions) await write.mutateAsync({ params: { session_id: id } });
      showToast('good', 'This is your only session');
      onClose();
    } catch {
      // The dialog shows the error of the one that failed.
    } finally {
      setPending(false);
    }
  };
  const count = sessions.length === 1 ? '1 other session' : `${sessions.length} other sessions`;
  return (
    <ConfirmDialog
      title="End all other sessions"
      confirm={`End ${count}`}
      write={{ error: write.error, isPending }}
      onConfirm={() => void endAll()}
      onClose={onClose}
    >
      <p>You are signed out at once everywhere except here. Your keys keep working.</p>
    </ConfirmDialog>
  );
}
