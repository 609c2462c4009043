import type { ApiKey, PersonalApiKey } from '@waymark/contract';
import { useState } from 'react';
import { z } from 'zod';
import { useDialogInAddress } from '../../../lib/dialog-address.ts';
import { listPage } from '../../../lib/list-page.ts';
import { useNow } from '../../../lib/now.ts';
import { useSearchState } from '../../../lib/route.ts';
import { Button } from '../../../ui/Button.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Pager } from '../../../ui/Pager.tsx';
import { Notice, Panel, Tag } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { RowActions } from '../RowActions.tsx';
import { type Secret, SecretDialog } from '../SecretDialog.tsx';
import { KeyAgeStrip } from './KeyAgeStrip.tsx';
import { CreateKey, RevokeKey, RotateKey } from './KeyDialogs.tsx';
import type { KeyActions, KeyOutcomes } from './key-actions.ts';
import { isRotatable, keysWarning } from './key-age.ts';
import { scopeWords } from './key-scope.ts';

type Key = ApiKey & Partial<Pick<PersonalApiKey, 'only_org'>>;

type Open = { readonly kind: 'create' } | { readonly kind: 'rotate' | 'revoke'; readonly of: Key };

const Search = z.object({ page: z.coerce.number().int().min(1).default(1) });

interface KeyListProps {
  readonly title: string;
  readonly keys: Parameters<typeof Loaded<readonly Key[]>>[0]['of'];
  readonly useActions: (outcomes: KeyOutcomes) => KeyActions;
  /** The command that creates one, if there is one. */
  readonly command?: string;
  readonly whyNot?: string | undefined;
}

/** Keys with their age, and what can be done with each. */
export function KeyList({ title, keys, useActions, command, whyNot }: KeyListProps) {
  const [search, change] = useSearchState(Search);
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<Secret>();
  const now = useNow();
  const [isAsked, setAsked] = useDialogInAddress('create-key');
  const close = () => {
    setOpen(undefined);
    setAsked(false);
  };
  const show = (next: Secret) => {
    close();
    setSecret(next);
  };
  const actions = useActions({
    onCreated: ({ key, description }) => show({ title: `Key ${description}`, what: 'key', text: key }),
    onRotated: ({ key, description, grace_period_expires_at }) =>
      show({
        title: `New key ${description}`,
        what: 'key',
        text: key,
        note: (
          <>
            The old key is valid until <Time at={grace_period_expires_at} as="exact" />.
          </>
        ),
      }),
    onRevoked: close,
  });
  /** Also forgets the error or the response of an action: no key may outlive its dialog. */
  const forget = () => {
    for (const action of [actions.create, actions.rotate, actions.revoke]) action.reset();
    setSecret(undefined);
    close();
  };
  const create = (
    <Button variant="primary" whyNot={whyNot} onPress={() => setOpen({ kind: 'create' })}>
      Create key
    </Button>
  );
  return (
    <>
      <Panel flush title={title} actions={create}>
        <Loaded of={keys}>
          {(all) => {
            const { rows, page, pages, total } = listPage(all, search.page);
            const warning = keysWarning(all, now);
            return (
              <>
                {warning !== null && (
                  <div className="px-4 pb-3">
                    <Notice kind="unsure">{warning}</Notice>
                  </div>
                )}
                <DataTable
                  caption={title}
                  columns={columnsOf(now, setOpen, actions.restore)}
                  rows={rows}
                  rowKey={({ id }) => id}
                  empty={
                    <Empty title="No keys yet" {...(command !== undefined && { command })}>
                      {command === undefined ? 'Create one here.' : 'Create one here, or from the command line:'}
                    </Empty>
                  }
                />
                {pages > 1 && (
                  <Pager page={page} pages={pages} total={total} what="keys" onPage={(to) => change({ page: to })} />
                )}
              </>
            );
          }}
        </Loaded>
      </Panel>
      {((isAsked && whyNot === undefined) || open?.kind === 'create') && (
        <CreateKey action={actions.create} onClose={forget} />
      )}
      {open?.kind === 'rotate' && <RotateKey of={open.of} action={actions.rotate} onClose={forget} />}
      {open?.kind === 'revoke' && <RevokeKey of={open.of} action={actions.revoke} onClose={forget} />}
      {secret && <SecretDialog secret={secret} onClose={forget} />}
    </>
  );
}

function columnsOf(now: number, onOpen: (open: Open) => void, restore: KeyActions['restore']): readonly Column<Key>[] {
  return [
    {
      key: 'description',
      title: 'Description',
      wide: true,
      cell: ({ description, id, only_org, suspended_at, suspends_at, made_by, scope }) => (
        <div className="min-w-0">
          <span className="font-medium">{description}</span> {only_org && <Tag>only in {only_org}</Tag>}
          {scope && <Tag>{scopeWords(scope)}</Tag>}
          {suspended_at !== null && <Tag>suspended</Tag>}
          {suspends_at !== null && <Tag>suspended soon</Tag>}
          <div className="text-[12.5px] text-quiet">
            <code>{id}</code>
            {only_org === undefined && made_by !== null && <> · created by {made_by}</>}
          </div>
          {suspends_at !== null && (
            <p className="text-[12.5px] text-quiet">
              Rejected from <Time at={suspends_at} as="exact" /> on, because {made_by ?? 'the person who created it'}{' '}
              left the org or now has a lower role. An admin can keep it.
            </p>
          )}
          {suspended_at !== null && (
            <p className="text-[12.5px] text-quiet">
              Rejected, because {made_by ?? 'the person who created it'} left the org or now has a lower role than the
              service account. An admin can restore it.
            </p>
          )}
        </div>
      ),
    },
    { key: 'age', title: 'Validity', cell: (key) => <KeyAgeStrip of={key} /> },
    { key: 'created', title: 'Created', cell: ({ created_at }) => <Time at={created_at} />, secondary: true },
    { key: 'used', title: 'Last used', cell: ({ last_used_at }) => <Time at={last_used_at} none="never" /> },
    {
      key: 'actions',
      title: 'Actions',
      cell: (key) => (
        <RowActions>
          {restore && (key.suspended_at !== null || key.suspends_at !== null) && (
            <Button
              aria-label={`${key.suspends_at === null ? 'Restore' : 'Keep'} ${key.description}`}
              onPress={() => restore.run({ id: key.id })}
            >
              {key.suspends_at === null ? 'Restore' : 'Keep'}
            </Button>
          )}
          {isRotatable(key, now) && (
            <Button aria-label={`Rotate ${key.description}`} onPress={() => onOpen({ kind: 'rotate', of: key })}>
              Rotate
            </Button>
          )}
          <Button
            variant="remove"
            aria-label={`Revoke ${key.description}`}
            onPress={() => onOpen({ kind: 'revoke', of: key })}
          >
            Revoke
          </Button>
        </RowActions>
      ),
    },
  ];
}
