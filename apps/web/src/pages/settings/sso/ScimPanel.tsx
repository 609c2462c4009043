import { configureScim, getScim, type ScimState, turnOffScim, turnOnScim } from '@waymark/contract';
import { useState } from 'react';
import { useRead, useWrite } from '../../../lib/queries.ts';
import { Button } from '../../../ui/Button.tsx';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { CopyButton } from '../../../ui/Copy.tsx';
import { Facts, Notice, Panel } from '../../../ui/Panel.tsx';
import { Failure, Loaded } from '../../../ui/States.tsx';
import { Time } from '../../../ui/Time.tsx';
import { type Secret, SecretDialog } from '../SecretDialog.tsx';
import { RoleOrNone } from './RoleOrNone.tsx';
import { ScimGroups } from './ScimGroups.tsx';

type Open = 'on' | 'new-key' | 'off';

/** Whether the identity provider manages the members. */
export function ScimPanel({ org }: { readonly org: string }) {
  const scim = useRead(getScim, { params: { org } });
  return (
    <>
      <Panel title="SCIM" note={scim.data && (scim.data.enabled ? 'On' : 'Off')}>
        <Loaded of={scim} lines={3}>
          {(state) => <Scim org={org} state={state} />}
        </Loaded>
      </Panel>
      {scim.data && (scim.data.enabled || scim.data.groups > 0) && <ScimGroups org={org} />}
    </>
  );
}

function Scim({ org, state }: { readonly org: string; readonly state: ScimState }) {
  const [open, setOpen] = useState<Open>();
  const [secret, setSecret] = useState<Secret>();
  const close = () => setOpen(undefined);
  const turnOn = useWrite(turnOnScim, {
    onDone: ({ key, base_url }) => {
      close();
      setSecret({
        title: 'The SCIM key of your identity provider',
        what: 'key',
        text: key,
        note: (
          <>
            Enter it there as the bearer token, with this URL:{' '}
            <code className="[overflow-wrap:anywhere]">{base_url}</code> <CopyButton text={base_url} what="address" />
          </>
        ),
      });
    },
  });
  const turnOff = useWrite(turnOffScim, { done: 'SCIM is off', onDone: close });
  const forget = () => {
    turnOn.reset();
    setSecret(undefined);
  };
  return (
    <div className="space-y-4">
      <p className="text-quiet">
        With SCIM, the identity provider decides who is a member, and its groups decide their roles. Invitations and
        joining by sign-in are off.
      </p>
      {state.enabled && <ScimFacts state={state} />}
      {state.enabled && <DefaultRole org={org} state={state} />}
      <div className="flex flex-wrap gap-2 no-print">
        {state.enabled ? (
          <>
            <Button onPress={() => setOpen('new-key')}>Create new key</Button>
            <Button variant="danger" onPress={() => setOpen('off')}>
              Turn off SCIM
            </Button>
          </>
        ) : (
          <Button onPress={() => setOpen('on')}>Turn on SCIM</Button>
        )}
      </div>
      {(open === 'on' || open === 'new-key') && (
        <TurnOn
          isNew={open === 'on'}
          write={turnOn}
          onConfirm={() => turnOn.mutate({ params: { org }, body: {} })}
          onClose={close}
        />
      )}
      {open === 'off' && (
        <ConfirmDialog
          title="Turn off SCIM"
          confirm="Turn off SCIM"
          write={turnOff}
          onConfirm={() => turnOff.mutate({ params: { org } })}
          onClose={close}
        >
          <p>
            The key of the identity provider stops working, so people it adds or removes there are no longer added or
            removed here.
          </p>
          <p className="text-quiet">Existing members stay and can be changed manually again.</p>
        </ConfirmDialog>
      )}
      {secret && <SecretDialog secret={secret} onClose={forget} />}
    </div>
  );
}

function ScimFacts({ state }: { readonly state: ScimState }) {
  return (
    <>
      <Facts
        rows={[
          [
            'Address',
            <span key="address" className="inline-flex items-center gap-1">
              <code>{state.base_url}</code>
              <CopyButton text={state.base_url} what="URL of the SCIM service" />
            </span>,
          ],
          ['Key created', <Time key="made" at={state.created_at} />],
          ['Last used', <Time key="used" at={state.last_used_at} none="never" />],
          ['People', state.users.toLocaleString('en')],
          ['Groups', state.groups.toLocaleString('en')],
        ]}
      />
      {state.unmanaged_members > 0 && (
        <Notice kind="info">
          {state.unmanaged_members === 1
            ? '1 member was'
            : `${state.unmanaged_members.toLocaleString('en')} members were`}{' '}
          not provisioned by it. They stay; change and remove them under Members.
        </Notice>
      )}
    </>
  );
}

function DefaultRole({ org, state }: { readonly org: string; readonly state: ScimState }) {
  const write = useWrite(configureScim, { done: 'Role changed' });
  return (
    <div className="max-w-xs">
      <RoleOrNone
        label="Default role for people without a group role"
        none="none: they are not members"
        value={state.default_role}
        onChange={(default_role) => write.mutate({ params: { org }, body: { default_role } })}
      />
      {write.error && <Failure error={write.error} />}
    </div>
  );
}

interface TurnOnProps {
  readonly isNew: boolean;
  readonly write: { readonly error: Error | null; readonly isPending: boolean };
  readonly onConfirm: () => void;
  readonly onClose: () => void;
}

function TurnOn({ isNew, write, onConfirm, onClose }: TurnOnProps) {
  return (
    <ConfirmDialog
      title={isNew ? 'Turn on SCIM' : 'Create new SCIM key'}
      confirm={isNew ? 'Turn on SCIM' : 'Create key'}
      write={write}
      onConfirm={onConfirm}
      onClose={onClose}
    >
      {isNew ? (
        <p>
          Invitations stop working, and people no longer join by signing in. Groups decide the roles of provisioned
          people, which you cannot change here. Existing members stay.
        </p>
      ) : (
        <p>The previous key stops working at once. Enter the new one at your identity provider right away.</p>
      )}
    </ConfirmDialog>
  );
}
