import type { ApiKey } from '@waymark/contract';
import { useState } from 'react';
import { useNow } from '../../../lib/now.ts';
import { usePreferences } from '../../../lib/preferences.ts';
import { toTheMinute } from '../../../lib/time.ts';
import { Field, Select } from '../../../ui/Fields.tsx';
import { expiryChoices, expiryOf, sameValidity } from './expiry.ts';

const USUAL = '90';

/** Fills in `expiry`, and `day` where a day is chosen. Unless changed, the key is valid for as long as `like` was. */
export function ExpiryField({ like }: { readonly like?: Pick<ApiKey, 'created_at' | 'expires_at'> }) {
  const same = like && sameValidity(like);
  const [choice, setChoice] = useState(same?.id ?? USUAL);
  return (
    <div className="space-y-2">
      <Select label="Expires" name="expiry" value={choice} onChange={setChoice} choices={expiryChoices(same)} />
      {choice === 'day' && (
        <Field name="day" type="date" label="Last day" isRequired help="Valid until the end of this day (UTC)" />
      )}
      {choice === 'never' ? (
        <p className="text-[13px] text-unsure">
          A key that never expires stays valid if it leaks unnoticed. Prefer an expiry date, and rotate the key before
          it.
        </p>
      ) : (
        choice !== 'day' && <ExpiresAt choice={choice} />
      )}
    </div>
  );
}

function ExpiresAt({ choice }: { readonly choice: string }) {
  const { zone } = usePreferences();
  const at = expiryOf(choice, undefined, useNow());
  return (
    at !== undefined && <p className="text-[12.5px] text-quiet">The new key expires on {toTheMinute(at, zone)}.</p>
  );
}
