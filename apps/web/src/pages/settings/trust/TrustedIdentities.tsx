import { listTrustedIdentities, removeTrustedIdentity, type TrustedIdentity } from '@waymark/contract';
import { useState } from 'react';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Digits } from '../../../ui/Copy.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Panel, Tag } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { AddIdentity } from './AddIdentity.tsx';
import { patternWords } from './pattern-words.ts';
import { StopTrusting } from './StopTrusting.tsx';

export function TrustedIdentities() {
  const org = useOrg();
  const whyNot = useWhyNot('manage_org');
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<TrustedIdentity>();
  const identities = useRead(listTrustedIdentities, { params: { org } });
  const remove = useWrite(removeTrustedIdentity, {
    done: 'The identity is no longer trusted',
    onDone: () => setRemoved(undefined),
  });
  return (
    <div>
      <NewNotice
        kinds={['trusted_identity']}
        loadedAt={identities.dataUpdatedAt}
        onShow={() => void identities.refetch()}
      />
      <Panel
        flush
        title="Sigstore identities"
        actions={
          <Button variant="primary" whyNot={whyNot} onPress={() => setAdding(true)}>
            Trust identity
          </Button>
        }
      >
        <Loaded of={identities} lines={3}>
          {(rows) => (
            <DataTable
              caption="Trusted identities"
              columns={columnsOf(whyNot === undefined ? setRemoved : undefined)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={
                <Empty
                  title="No trusted identities yet"
                  command={`waymark trust identities add release --org ${org} \\\n  --issuer https://token.actions.githubusercontent.com \\\n  --subject https://github.com/acme/web/.github/workflows/release.yml@refs/heads/main`}
                >
                  Signatures of a trusted identity count as proof. On the command line:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {adding && <AddIdentity org={org} onClose={() => setAdding(false)} />}
      {removed && (
        <StopTrusting
          name={removed.name}
          what="identity"
          write={remove}
          onConfirm={() => remove.mutate({ params: { org, identity_id: removed.id } })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  );
}

function columnsOf(onRemove: ((identity: TrustedIdentity) => void) | undefined): readonly Column<TrustedIdentity>[] {
  const columns: readonly Column<TrustedIdentity>[] = [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ name, subject, matching, issuer }) => (
        <div className="min-w-0">
          <span className="font-medium">{name}</span>
          <div className="text-[13px] [overflow-wrap:anywhere]">
            {subject} {matching === 'pattern' && <Tag title={patternWords(subject)?.accepts ?? ''}>pattern</Tag>}
          </div>
          <div className="text-[13px] text-quiet">by {issuer}</div>
        </div>
      ),
    },
    {
      key: 'root',
      title: 'Trusted root',
      secondary: true,
      cell: ({ trusted_root_sha256, trusted_root_source }) => (
        <span className="inline-flex items-center gap-1">
          <Digits text={trusted_root_sha256} what="fingerprint" />
          <span className="text-quiet">
            {trusted_root_source === 'sent' ? 'custom root' : 'root of this installation'}
          </span>
        </span>
      ),
    },
    { key: 'flows', title: 'Flows', cell: ({ flows }) => flows?.join(', ') ?? 'All' },
    {
      key: 'created',
      title: 'Added',
      cell: ({ created_at, created_by }) => (
        <>
          <Time at={created_at} /> <span className="text-quiet">by {created_by}</span>
        </>
      ),
    },
  ];
  if (!onRemove) return columns;
  return [
    ...columns,
    {
      key: 'actions',
      title: 'Actions',
      cell: (identity) => (
        <Button variant="remove" aria-label={`Remove ${identity.name}`} onPress={() => onRemove(identity)}>
          Remove
        </Button>
      ),
    },
  ];
}
