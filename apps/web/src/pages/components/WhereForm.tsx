import { useState } from 'react';
import { Button } from '../../ui/Button.tsx';
import { Field } from '../../ui/Fields.tsx';

interface Asked {
  readonly component: string;
  readonly range: string | undefined;
}

export function WhereForm({
  component,
  range,
  onAsk,
}: {
  readonly component: string;
  readonly range: string;
  readonly onAsk: (asked: Asked) => void;
}) {
  const [wanted, setWanted] = useState(component);
  const [versions, setVersions] = useState(range);
  return (
    <form
      className="mb-4 flex flex-wrap items-start gap-3 no-print"
      onSubmit={(event) => {
        event.preventDefault();
        if (wanted.trim() !== '') onAsk({ component: wanted.trim(), range: versions.trim() || undefined });
      }}
    >
      <div className="w-full max-w-md">
        <Field
          label="Component"
          name="component"
          value={wanted}
          onChange={setWanted}
          placeholder="pkg:npm/lodash"
          help="Package URL"
          autoFocus={component === ''}
        />
      </div>
      <div className="w-full max-w-xs">
        <Field
          label="Versions"
          name="range"
          value={versions}
          onChange={setVersions}
          placeholder="<4.17.21"
          help="All versions if empty"
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
