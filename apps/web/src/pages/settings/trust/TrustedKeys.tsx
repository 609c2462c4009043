import { addTrustedKey, listTrustedKeys, removeTrustedKey, type TrustedKey } from '@waymark/contract';
import { useState } from 'react';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { useOrg } from '../../../lib/route.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { CopyButton, Digits } from '../../../ui/Copy.tsx';
import { type Column, DataTable } from '../../../ui/DataTable.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { NewNotice } from '../../../ui/NewNotice.tsx';
import { Panel } from '../../../ui/Panel.tsx';
import { Empty, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { FlowsField, flowsIn } from './FlowsField.tsx';
import { StopTrusting } from './StopTrusting.tsx';

export function TrustedKeys() {
  const org = useOrg();
  const whyNot = useWhyNot('manage_org');
  const [adding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<TrustedKey>();
  const keys = useRead(listTrustedKeys, { params: { org } });
  const remove = useWrite(removeTrustedKey, {
    done: 'The key is no longer trusted',
    onDone: () => setRemoved(undefined),
  });
  return (
    <div>
      <NewNotice kinds={['trusted_key']} loadedAt={keys.dataUpdatedAt} onShow={() => void keys.refetch()} />
      <Panel
        flush
        title="Trusted keys"
        actions={
          <Button variant="primary" whyNot={whyNot} onPress={() => setAdding(true)}>
            Trust key
          </Button>
        }
      >
        <Loaded of={keys} lines={3}>
          {(rows) => (
            <DataTable
              caption="Trusted keys"
              columns={columnsOf(whyNot === undefined ? setRemoved : undefined)}
              rows={rows}
              rowKey={({ id }) => id}
              empty={
                <Empty title="No trusted keys yet" command={`waymark trust keys add release cosign.pub --org ${org}`}>
                  Statements signed with a trusted key count as proof. From the command line:
                </Empty>
              }
            />
          )}
        </Loaded>
      </Panel>
      {adding && <AddKey org={org} onClose={() => setAdding(false)} />}
      {removed && (
        <StopTrusting
          name={removed.name}
          what="key"
          write={remove}
          onConfirm={() => remove.mutate({ params: { org, key_id: removed.id } })}
          onClose={() => setRemoved(undefined)}
        />
      )}
    </div>
  );
}

function columnsOf(onRemove: ((key: TrustedKey) => void) | undefined): readonly Column<TrustedKey>[] {
  const columns: readonly Column<TrustedKey>[] = [
    {
      key: 'name',
      title: 'Name',
      wide: true,
      cell: ({ name, public_key }) => (
        <span className="inline-flex items-center gap-1">
          <span className="font-medium">{name}</span>
          <CopyButton text={public_key} what={`public key ${name}`} />
        </span>
      ),
    },
    { key: 'algorithm', title: 'Algorithm', cell: ({ algorithm }) => algorithm },
    { key: 'sha256', title: 'SHA-256', cell: ({ sha256 }) => <Digits text={sha256} what="fingerprint" length={12} /> },
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
      cell: (key) => (
        <Button variant="remove" aria-label={`Remove ${key.name}`} onPress={() => onRemove(key)}>
          Remove
        </Button>
      ),
    },
  ];
}

function AddKey({ org, onClose }: { readonly org: string; readonly onClose: () => void }) {
  const write = useWrite(addTrustedKey, { done: ({ name }) => `Key ${name} trusted`, onDone: onClose });
  return (
    <Dialog title="Trust key" onClose={onClose}>
      {(close) => (
        <Form
          submit="Trust key"
          error={write.error}
          isPending={write.isPending}
          onCancel={close}
          onSubmit={({ name = '', public_key = '', flows = '' }) =>
            write.mutate({ params: { org }, body: { name, public_key, flows: flowsIn(flows) } })
          }
        >
          <Field name="name" label="Name" isRequired autoFocus help="Letters, digits, and . - _ ~" />
          <Field
            name="public_key"
            label="Public key"
            isRequired
            lines={7}
            mono
            placeholder={'-----BEGIN PUBLIC KEY-----\n…'}
            help="PEM. Ed25519, ECDSA on P-256 or P-384, or RSA of 2048 bits or more. Never paste a private key."
          />
          <FlowsField />
        </Form>
      )}
    </Dialog>
  );
}
