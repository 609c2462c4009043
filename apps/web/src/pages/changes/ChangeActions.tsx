import {
  approveChangeRequest,
  type ChangeRequest,
  refuseChangeRequest,
  withdrawChangeRequest,
} from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../lib/queries.ts';
import { useMay } from '../../lib/session.ts';
import { Button } from '../../ui/Button.tsx';
import { ConfirmDialog } from '../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../ui/Dialog.tsx';
import { Field } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';

interface Props {
  readonly org: string;
  readonly of: ChangeRequest;
}

type Open = 'approve' | 'refuse' | 'withdraw' | undefined;

/** What the caller can do with a pending change. */
export function ChangeActions({ org, of }: Props) {
  const [open, setOpen] = useState<Open>();
  const mayApprove = useMay('approve_changes');
  if (of.state !== 'pending') return null;
  const whyNot = whyNotApproved(of, mayApprove);
  const close = () => setOpen(undefined);
  return (
    <>
      <Button variant="primary" whyNot={whyNot} onPress={() => setOpen('approve')}>
        Approve change
      </Button>
      {of.can_withdraw ? (
        <Button onPress={() => setOpen('withdraw')}>Withdraw change</Button>
      ) : (
        <Button whyNot={of.can_approve ? undefined : whyNot} onPress={() => setOpen('refuse')}>
          Refuse change
        </Button>
      )}
      {open === 'approve' && <Approve org={org} of={of} onClose={close} />}
      {open === 'refuse' && <Refuse org={org} of={of} onClose={close} />}
      {open === 'withdraw' && <Withdraw org={org} of={of} onClose={close} />}
    </>
  );
}

function whyNotApproved({ can_approve, can_withdraw, is_outdated }: ChangeRequest, may: boolean): string | undefined {
  if (can_withdraw) return 'You asked for it: another admin approves it';
  if (!may || !can_approve) return 'Needs the role admin';
  return is_outdated ? 'It has to be asked for again' : undefined;
}

function Approve({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(approveChangeRequest, { done: 'The change is approved and made.', onDone: onClose });
  return (
    <Dialog title={`Approve the change of ${of.subject.name}?`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Approve change"
          error={write.error}
          isPending={write.isPending}
          onSubmit={() => write.mutate({ params: { org, id: of.id } })}
          onCancel={close}
        >
          <p>{`The change that ${of.asked_by} asked for is made at once, as this page shows it.`}</p>
        </Form>
      )}
    </Dialog>
  );
}

function Refuse({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(refuseChangeRequest, { done: 'The change is refused.', onDone: onClose });
  return (
    <Dialog title={`Refuse the change of ${of.subject.name}?`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Refuse change"
          error={write.error}
          isPending={write.isPending}
          onSubmit={({ reason = '' }) => write.mutate({ params: { org, id: of.id }, body: { reason } })}
          onCancel={close}
        >
          <Field label="Reason" name="reason" isRequired lines={3} help={`${of.asked_by} reads it`} />
        </Form>
      )}
    </Dialog>
  );
}

function Withdraw({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(withdrawChangeRequest, { done: 'The change is withdrawn.', onDone: onClose });
  return (
    <ConfirmDialog
      title={`Withdraw the change of ${of.subject.name}?`}
      confirm="Withdraw change"
      write={write}
      onConfirm={() => write.mutate({ params: { org, id: of.id } })}
      onClose={onClose}
    >
      <p>Nothing is changed. You can ask for it again.</p>
    </ConfirmDialog>
  );
}
