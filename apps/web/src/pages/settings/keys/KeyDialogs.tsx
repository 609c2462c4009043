import { type ApiKey, GRACE_HOURS, GRACE_HOURS_MAX } from '@waymark/contract';
import { ConfirmDialog } from '../../../ui/ConfirmDialog.tsx';
import { Dialog } from '../../../ui/Dialog.tsx';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Time } from '../../../ui/Time.tsx';
import { ExpiryField } from './ExpiryField.tsx';
import { expiryOf } from './expiry.ts';
import type { KeyActions } from './key-actions.ts';
import { scopeFrom } from './key-scope.ts';
import { ScopeField } from './ScopeField.tsx';

const seconds = () => Date.now() / 1000;

export function CreateKey({
  action,
  onClose,
}: {
  readonly action: KeyActions['create'];
  readonly onClose: () => void;
}) {
  return (
    <Dialog title="Create key" onClose={onClose}>
      {(close) => (
        <Form
          submit="Create key"
          error={action.error}
          isPending={action.isPending}
          onCancel={close}
          onSubmit={({ description = '', expiry = '', day, scope = '', scope_names = '' }) =>
            action.run({
              description,
              expires_at: expiryOf(expiry, day, seconds()),
              scope: scopeFrom(scope, scope_names),
            })
          }
        >
          <Field
            name="description"
            label="Description"
            isRequired
            autoFocus
            maxLength={256}
            placeholder="Shop deployments"
            help="Helps others decide later whether the key is still needed"
          />
          <ScopeField />
          <ExpiryField />
        </Form>
      )}
    </Dialog>
  );
}

export function RotateKey({
  of,
  action,
  onClose,
}: {
  readonly of: ApiKey;
  readonly action: KeyActions['rotate'];
  readonly onClose: () => void;
}) {
  return (
    <Dialog title={`Rotate ${of.description}`} onClose={onClose}>
      {(close) => (
        <Form
          submit="Rotate key"
          error={action.error}
          isPending={action.isPending}
          onCancel={close}
          onSubmit={({ grace_period_hours = '', expiry = '', day }) =>
            action.run({
              id: of.id,
              grace_period_hours: Number(grace_period_hours),
              expires_at: expiryOf(expiry, day, seconds()),
            })
          }
        >
          <p>
            You get a new key with the same description and scope. The old key stays valid for the hours below, so that
            you can replace it. Waymark then rejects it.
          </p>
          <Field
            name="grace_period_hours"
            type="number"
            label="Keep the old key valid for (hours)"
            defaultValue={String(GRACE_HOURS)}
            isRequired
            help={`1 to ${GRACE_HOURS_MAX}. The old key never works beyond its own expiry.`}
          />
          <ExpiryField like={of} />
        </Form>
      )}
    </Dialog>
  );
}

export function RevokeKey({
  of,
  action,
  onClose,
}: {
  readonly of: ApiKey;
  readonly action: KeyActions['revoke'];
  readonly onClose: () => void;
}) {
  return (
    <ConfirmDialog
      title={`Revoke ${of.description}`}
      confirm="Revoke key"
      write={action}
      onConfirm={() => action.run({ id: of.id })}
      onClose={onClose}
    >
      <p>Waymark then rejects requests with this key. You cannot undo this.</p>
      <p className="text-quiet">
        {of.last_used_at === null ? (
          'It was never used.'
        ) : (
          <>
            It was last used <Time at={of.last_used_at} />. To replace it without an interruption, rotate it instead.
          </>
        )}
      </p>
    </ConfirmDialog>
  );
}
