import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';

interface Asked {
  readonly from: string;
  readonly to: string;
}

export function DiffForm({ from, to, onAsk }: Asked & { readonly onAsk: (asked: Asked) => void }) {
  const [first, setFirst] = useState(from);
  const [second, setSecond] = useState(to);
  const asked = { from: digitsOf(first), to: digitsOf(second) };
  const isReady = [asked.from, asked.to].every((digits) => /^[0-9a-f]{64}$/.test(digits));
  return (
    <form
      className="mb-4 no-print"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) onAsk(asked);
      }}
    >
      <div className="grid gap-3 lg:grid-cols-2">
        <Field label="From" name="from" value={first} onChange={setFirst} mono help="Fingerprint, 64 digits" />
        <Field label="To" name="to" value={second} onChange={setSecond} mono help="Fingerprint, 64 digits" />
      </div>
      <div className="mt-3">
        <Button type="submit" variant="primary" isDisabled={!isReady}>
          Compare components
        </Button>
      </div>
    </form>
  );
}

function digitsOf(text: string): string {
  return text
    .trim()
    .replace(/^sha256:/i, '')
    .toLowerCase();
}
