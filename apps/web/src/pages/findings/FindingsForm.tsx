import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';

interface Asked {
  readonly id?: string;
  readonly component?: string;
}

export function FindingsForm({ wanted, onAsk }: { readonly wanted: string; readonly onAsk: (asked: Asked) => void }) {
  const [typed, setTyped] = useState(wanted);
  return (
    <form
      className="mb-4 flex flex-wrap items-start gap-3 no-print"
      onSubmit={(event) => {
        event.preventDefault();
        const text = typed.trim();
        if (text !== '') onAsk(isComponent(text) ? { component: text } : { id: text });
      }}
    >
      <div className="w-full max-w-md">
        <Field
          label="Vulnerability or component"
          name="finding"
          value={typed}
          onChange={setTyped}
          placeholder="CVE-2026-1"
          help="An ID or alias, or a package URL"
          autoFocus={wanted === ''}
        />
      </div>
      <div className="sm:pt-6">
        <Button type="submit" variant="primary">
          Find
        </Button>
      </div>
    </form>
  );
}

function isComponent(text: string): boolean {
  return /^pkg:./i.test(text);
}
