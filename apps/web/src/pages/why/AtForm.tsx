import { useEffect, useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';

/** The moment to explain: now, or a snapshot. */
export function AtForm({
  at,
  onAt,
}: {
  readonly at: string | undefined;
  readonly onAt: (at: string | undefined) => void;
}) {
  const [typed, setTyped] = useState(at ?? '');
  useEffect(() => setTyped(at ?? ''), [at]);
  return (
    <form
      className="flex flex-wrap items-end gap-2 no-print"
      onSubmit={(event) => {
        event.preventDefault();
        onAt(typed.trim() || undefined);
      }}
    >
      <div className="w-64">
        <Field
          label="As of snapshot"
          name="at"
          mono
          value={typed}
          onChange={setTyped}
          placeholder="42, ~1, or @{2.days.ago}"
        />
      </div>
      <Button type="submit">Show</Button>
      {at !== undefined && (
        <Button variant="quiet" onPress={() => onAt(undefined)}>
          Back to now
        </Button>
      )}
    </form>
  );
}
