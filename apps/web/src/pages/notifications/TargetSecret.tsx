import { useQueryClient } from '@tanstack/react-query';
import { getTargetSecret, rotateTargetSecret, type WebhookSecret } from '@waymark/contract';
import { useEffect, useState } from 'react';
import { readKey, useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Select } from '../../ui/Fields.tsx';
import { Form } from '../../ui/Form.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';

const OVERLAPS = [
  { id: '24', label: 'For a day' },
  { id: '168', label: 'For a week' },
  { id: '0', label: 'Not at all' },
];

export function TargetSecret({
  id,
  to,
  whyNot,
}: {
  readonly id: string;
  readonly to: string;
  readonly whyNot?: string | undefined;
}) {
  return (
    <DialogButton variant="quiet" label="Secret …" title={`Secret of ${to}`} whyNot={whyNot}>
      {(close) => <Secret id={id} onClose={close} />}
    </DialogButton>
  );
}

/** Requested on demand, and dropped when the dialog is closed. */
function Secret({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const org = useOrg();
  const queries = useQueryClient();
  const secret = useRead(getTargetSecret, { params: { org, target_id: id } }, { fresh: true });
  useEffect(
    () => () => queries.removeQueries({ queryKey: readKey(getTargetSecret, { params: { org, target_id: id } }) }),
    [queries, org, id],
  );
  return (
    <div className="space-y-5">
      <p className="text-quiet">
        Waymark signs messages to this webhook with it. The receiver needs it to verify them.
      </p>
      <Loaded of={secret} lines={2}>
        {(found) => <Shown of={found} />}
      </Loaded>
      <Rotate id={id} onClose={onClose} />
    </div>
  );
}

function Shown({ of }: { readonly of: WebhookSecret }) {
  const [visible, setVisible] = useState(false);
  return (
    <div>
      <div className="flex items-start gap-2 rounded-md border border-line bg-raised p-3">
        <code className="min-w-0 flex-1 [overflow-wrap:anywhere]">
          {visible ? of.secret : `${of.secret.slice(0, 6)}${'•'.repeat(24)}`}
        </code>
        <Button variant="quiet" className="!py-0" onPress={() => setVisible(!visible)}>
          {visible ? 'Hide' : 'Show'}
        </Button>
        <CopyButton text={of.secret} what="secret" />
      </div>
      {of.previous_secret_until !== null && (
        <p className="mt-1 text-[13px] text-quiet">
          Waymark also signs messages with the previous secret until <Time at={of.previous_secret_until} as="exact" />.
        </p>
      )}
    </div>
  );
}

function Rotate({ id, onClose }: { readonly id: string; readonly onClose: () => void }) {
  const org = useOrg();
  const [overlap, setOverlap] = useState('24');
  const write = useWrite(rotateTargetSecret, { done: 'Secret replaced. Give the new one to the receiver.' });
  return (
    <div className="border-t border-line pt-4">
      <h3 className="mb-2 font-semibold">Replace secret</h3>
      <Form
        submit="Replace secret"
        danger
        error={write.error}
        isPending={write.isPending}
        onSubmit={() => write.mutate({ params: { org, target_id: id }, body: { overlap_hours: Number(overlap) } })}
        onCancel={onClose}
      >
        <Select label="Keep signing with the old secret" value={overlap} onChange={setOverlap} choices={OVERLAPS} />
      </Form>
    </div>
  );
}
