import type { Waiver } from '@waymark/contract';
import { useNow } from '../../lib/now.ts';
import { useWhyNot } from '../../lib/session.ts';
import type { ButtonVariant } from '../../ui/Button.tsx';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Time } from '../../ui/Time.tsx';
import { WaiverForm } from './WaiverForm.tsx';
import { renewedUntil } from './waiver-until.ts';

/** Replaces a waiver that expires by one that expires later; its reason is filled in. */
export function RenewWaiver({ of, variant = 'plain' }: { readonly of: Waiver; readonly variant?: ButtonVariant }) {
  return (
    <DialogButton
      label="Renew…"
      name={`Renew ${of.artifact_name} in ${of.environment_name}`}
      variant={variant}
      isDisabled={useWhyNot('manage_environments') !== undefined}
      title={`Renew the waiver for ${of.artifact_name}`}
    >
      {(close) => <Renew of={of} onClose={close} />}
    </DialogButton>
  );
}

function Renew({ of, onClose }: { readonly of: Waiver; readonly onClose: () => void }) {
  const now = useNow();
  return (
    <WaiverForm
      environment={of.environment_name}
      artifact={{ name: of.artifact_name, fingerprint: of.fingerprint }}
      renewed={{ reason: of.description, until: (maxDays) => renewedUntil(of, now, maxDays) }}
      onClose={onClose}
    >
      <p>
        Granted by {of.user_name} in {of.environment_name}; expires <Time at={of.expires_at} />. A new waiver in your
        name replaces it, and both stay in the record.
      </p>
    </WaiverForm>
  );
}
