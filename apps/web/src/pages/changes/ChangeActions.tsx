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
  if (can_withdraw) return 'You requested it: another admin must approve it';
  if (!may || !can_approve) return 'Requires the admin role';
  return is_outdated ? 'Request it again' : undefined;
}

function Approve({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(approveChangeRequest, { done: 'Change approved and applied.', onDone: onClose });
  return (
    <Dialog title={`Approve the change to ${of.subject.name}?`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Approve change"
          error={write.error}
          isPending={write.isPending}
          onSubmit={() => write.mutate({ params: { org, id: of.id } })}
          onCancel={close}
        >
          <p>{`The change that ${of.asked_by} requested is applied at once, as shown on this page.`}</p>
        </Form>
      )}
    </Dialog>
  );
}

function Refuse({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(refuseChangeRequest, { done: 'Change refused.', onDone: onClose });
  return (
    <Dialog title={`Refuse the change to ${of.subject.name}?`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Refuse change"
          error={write.error}
          isPending={write.isPending}
          onSubmit={({ reason = '' }) => write.mutate({ params: { org, id: of.id }, body: { reason } })}
          onCancel={close}
        >
          <Field label="Reason" name="reason" isRequired lines={3} help={`Shown to ${of.asked_by}`} />
        </Form>
      )}
    </Dialog>
  );
}

function Withdraw({ org, of, onClose }: Props & { readonly onClose: () => void }) {
  const write = useWrite(withdrawChangeRequest, { done: 'Change withdrawn.', onDone: onClose });
  return (
    <ConfirmDialog
      title={`Withdraw the change to ${of.subject.name}?`}
      confirm="Withdraw change"
      write={write}
      onConfirm={() => write.mutate({ params: { org, id: of.id } })}
      onClose={onClose}
    >
      <p>Nothing changes. You can request it again.</p>
    </ConfirmDialog>
  );
}
