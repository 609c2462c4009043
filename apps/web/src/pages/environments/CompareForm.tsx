import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { paths } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { type Range, readRange, type Side, writeSide } from './compare-range.ts';
import { EnvironmentBox } from './EnvironmentBox.tsx';

const MOMENTS = [
  { id: '@{now}', label: 'Now' },
  { id: '~1', label: 'Previous snapshot' },
  { id: '@{1.hour.ago}', label: 'An hour ago' },
  { id: '@{1.day.ago}', label: 'Yesterday at this time' },
  { id: '@{1.week.ago}', label: 'A week ago' },
  { id: '@{1.month.ago}', label: 'A month ago' },
];
const OTHER = 'other';

/** Which two snapshots are compared. The address always holds both. */
export function CompareForm({ env, range }: { readonly env: string; readonly range: Range }) {
  const org = useOrg();
  const navigate = useNavigate();
  const [before, setBefore] = useState(range.before);
  const [after, setAfter] = useState(range.after);
  const [first, second] = [writeSide(before, env), writeSide(after, env)];
  const isReadable = readRange(`${first}..${second}`, env) !== undefined;
  return (
    <form
      className="no-print"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReadable) void navigate({ href: paths.compare(org, env, first, second) });
      }}
    >
      <div className="grid gap-4 md:grid-cols-2">
        <SideFields title="First" side={before} onChange={setBefore} />
        <SideFields title="Second" side={after} onChange={setAfter} />
      </div>
      <div className="mt-3 flex flex-wrap gap-2">
        <Button type="submit" variant="primary" isDisabled={!isReadable}>
          Compare snapshots
        </Button>
        <Button
          variant="quiet"
          onPress={() => {
            setBefore(after);
            setAfter(before);
            void navigate({ href: paths.compare(org, env, second, first) });
          }}
          isDisabled={!isReadable}
        >
          Swap snapshots
        </Button>
      </div>
    </form>
  );
}

interface SideProps {
  readonly title: string;
  readonly side: Side;
  readonly onChange: (side: Side) => void;
}

function SideFields({ title, side: { env, expression }, onChange }: SideProps) {
  const [isOther, setOther] = useState(!MOMENTS.some(({ id }) => id === expression));
  return (
    <fieldset>
      <legend className="mb-1 text-[13px] font-semibold">{title}</legend>
      <div className="flex flex-wrap items-start gap-3">
        <EnvironmentBox label="Environment" value={env} onPick={(name) => onChange({ env: name, expression })} />
        <Select
          label="When"
          className="w-56"
          value={isOther ? OTHER : expression}
          choices={[...MOMENTS, { id: OTHER, label: 'Number or time …' }]}
          onChange={(id) => {
            setOther(id === OTHER);
            if (id !== OTHER) onChange({ env, expression: id });
          }}
        />
        {isOther && (
          <div className="w-56">
            <Field
              label="Snapshot"
              name={`${title}-snapshot`}
              value={expression}
              onChange={(text) => onChange({ env, expression: text.trim() })}
              mono
              help="7, -2, ~1, or @{2026-11-01T12:00:00}, in UTC"
            />
          </div>
        )}
      </div>
    </fieldset>
  );
}
