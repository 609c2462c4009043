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
      title="Keys that expire"
      actions={
        config.data && (
          <>
            <DialogButton
              label={isSet ? 'Change who is told' : 'Say who is told'}
              title="Who is told of keys that expire"
              wide
              whyNot={whyNot}
            >
              {(close) => <ConfigForm of={config.data} onClose={close} />}
            </DialogButton>
            {isSet && (
              <DialogButton
                label="Go back"
                variant="quiet"
                title="Go back to the recipients that Waymark works out?"
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
        Waymark tells of a key {DAYS.slice(0, -1).join(', ')} and {DAYS.at(-1)} days before it expires, and when it has.
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
        <Notice kind="bad" title="The last message did not arrive">
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
          'Nobody had to be told yet.'
        ) : (
          <>
            Somebody was last told <Time at={of.last_notified_at} />.
          </>
        )}
      </p>
    </div>
  );
}

function Derived() {
  return (
    <div>
      <p>Nobody is named, so Waymark works out who gets a mail:</p>
      <ul className="mt-1 list-disc pl-5">
        <li>of a personal key: the person it belongs to</li>
        <li>of a key of a service account: whoever made the account, and the admins of the org</li>
      </ul>
      <p className="mt-1 text-[13px] text-quiet">
        Whoever got such a mail is one of these. Naming targets replaces all of them.
      </p>
    </div>
  );
}

function ConfigForm({ of, onClose }: { readonly of: NotificationConfig; readonly onClose: () => void }) {
  const org = useOrg();
  const [targets, setTargets] = useState(
    of.targets.length > 0 ? of.targets.map(draftOf) : [newTarget('first', 'EMAIL')],
  );
  const write = useWrite(putNotificationConfig, { done: 'Those named are told from now on.', onDone: onClose });
  return (
    <Form
      submit="Save"
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ params: { org, ...TYPE }, body: { targets: targets.map(inputOf) } })}
      onCancel={onClose}
    >
      <p className="text-quiet">
        These are told instead of the recipients that Waymark works out, of all keys of the org.
      </p>
      <TargetsEditor targets={targets} onChange={(next) => setTargets([...next])} />
    </Form>
  );
}

function GoBack({ onClose }: { readonly onClose: () => void }) {
  const org = useOrg();
  const write = useWrite(deleteNotificationConfig, {
    done: 'Waymark works out the recipients again.',
    onDone: onClose,
  });
  return (
    <Form
      danger
      submit="Go back"
      error={write.error}
      isPending={write.isPending}
      onSubmit={() => write.mutate({ params: { org, ...TYPE } })}
      onCancel={onClose}
    >
      <p>The targets named here are told no more, and what waits for them is dropped.</p>
    </Form>
  );
}
