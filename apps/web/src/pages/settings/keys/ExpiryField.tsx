import { useState } from 'react';
import { Field, Select } from '../../../ui/Fields.tsx';
import { EXPIRY_CHOICES } from './expiry.ts';

/** Fills in `expiry`, and `day` where a day is chosen. */
export function ExpiryField({ keep }: { readonly keep?: string }) {
  const [choice, setChoice] = useState(keep === undefined ? '90' : 'keep');
  const choices = keep === undefined ? EXPIRY_CHOICES : [{ id: 'keep', label: keep }, ...EXPIRY_CHOICES];
  return (
    <>
      <Select label="Expires" name="expiry" value={choice} onChange={setChoice} choices={choices} />
      {choice === 'day' && (
        <Field name="day" type="date" label="Last day" isRequired help="Good until the end of this day, UTC" />
      )}
      {choice === 'never' && (
        <p className="text-[13px] text-unsure">
          A key that never expires stays good if it leaks and nobody notices. Prefer a day, and rotate the key before
          it.
        </p>
      )}
    </>
  );
}
