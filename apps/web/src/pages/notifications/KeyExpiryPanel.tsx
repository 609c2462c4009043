import {
  API_KEY_EXPIRY_STEPS,
  deleteNotificationConfig,
  getNotificationConfig,
  type NotificationConfig,
  putNotificationConfig,
} from '@waymark/contract';
import { useState } from 'react';
import { useRead, useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Form } from '../../ui/Form.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { TargetRow } from './TargetRow.tsx';
import { TargetsEditor } from './TargetsEditor.tsx';
import { draftOf, inputOf, newTarget } from './target-draft.ts';

const TYPE = { notification_type: 'api_key_expiry' } as const;
const DAYS = API_KEY_EXPIRY_STEPS.filter((days) => days > 0);

/** Notifications that the service sends by itself, about expiring keys. The recipients are derived, or set here. */
export function KeyExpiryPanel() {
  const org = useOrg();
  const whyNot = useWhyNot('configure_notifications');
  const config = useRead(getNotificationConfig, { params: { org, ...TYPE } });
  const isSet = (config.data?.targets.length ?? 0) > 0;
  return (
    <Panel
      title="Key expiry"
      actions={
        config.data && (
          <>
            <DialogButton
              label={isSet ? 'Change recipients' : 'Set recipients'}
              title="Recipients of key expiry messages"
              wide
              whyNot={whyNot}
            >
              {(close) => <ConfigForm of={config.data} onClose={close} />}
            </DialogButton>
            {isSet && (
              <DialogButton
                label="Use default recipients"
                variant="quiet"
                title="Use the default recipients?"
                whyNot={whyNot && ''}
              >
                {(close) => <GoBack onClose={close} />}
              </DialogButton>
            )}
          </>
        )
      }
    >
      <p>
        Waymark sends a message {DAYS.slice(0, -1).join(', ')}, and {DAYS.at(-1)} days before a key expires, and when it
        has expired.
      </p>
      <Loaded of={config} lines={3}>
        {(found) => <Recipients of={found} whyNot={whyNot} />}
      </Loaded>
    </Panel>
  );
}

function Recipients({ of, whyNot }: { readonly of: NotificationConfig; readonly whyNot: string | undefined }) {
  return (
    <div className="mt-3 space-y-3">
      {of.last_failure && (
        <Notice kind="bad" title="The last message was not delivered">
          <Time at={of.last_failure.failed_at} />: {of.last_failure.error}
        </Notice>
      )}
      {of.targets.length > 0 ? (
        <ul className="divide-y divide-line">
          {of.targets.map((target) => (
            <TargetRow key={target.id} of={target} whyNot={whyNot} />
          ))}
        </ul>
      ) : (
        <Derived />
      )}
      <p className="text-[13px] text-quiet">
        {of.last_notified_at === null ? (
          'No messages sent yet.'
        ) : (
          <>
            Last message sent <Time at={of.last_notified_at} />.
          </>
        )}
      </p>
    </div>
  );
}

function Derived() {
  return (
    <div>
      <p>No recipients are set. By default, Waymark sends an email:</p>
      <ul className="mt-1 list-disc pl-5">
        <li>for a personal key: to its owner</li>
        <li>for a service account key: to the person who created the account, and the admins of the org</li>
      </ul>
      <p className="mt-1 text-[13px] text-quiet">Setting recipients replaces all of these.</p>
    </div>
  );
}

function ConfigForm({ of, onClose }: { readonly of: NotificationConfig; readonly onClose: () => void }) {
  const org = useOrg();
  const [targets, setTargets] = useState(
    of.targets.length > 0 ? of.targets.map(draftOf) : [newTarget('first', 'EMAIL')],
  );
  const write = useWrite(putNotificationConfig, {
    done: 'Waymark now notifies these recipients.',
    onDone: onClose,
  });
  return (
    <Form
      submit="Save"
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ params: { org, ...TYPE }, body: { targets: targets.map(inputOf) } })}
      onCancel={onClose}
    >
      <p className="text-quiet">These recipients replace the default ones for all keys of the org.</p>
      <TargetsEditor targets={targets} onChange={(next) => setTargets([...next])} />
    </Form>
  );
}

function GoBack({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(deleteNotificationConfig, {
    done: 'Default recipients restored.',
    onDone: onClose,
  });
  return (
    <Form
      danger
      submit="Use default recipients"
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ params: { org, ...TYPE } })}
      onCancel={onClose}
    >
      <p>Waymark no longer notifies these targets, and drops the messages queued for them.</p>
    </Form>
  );
}
