import { type ChangeControlMode, type Organization, putChangeControl } from '@waymark/contract';
import { useState } from 'react';
import { paths } from '../../../lib/paths.ts';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { Link } from '../../../ui/Link.tsx';
import { Panel } from '../../../ui/Panel.tsx';

const LABELS: Readonly<Record<ChangeControlMode, string>> = {
  off: 'Off',
  admins: 'Admins only',
  two_people: 'Two people',
};
const MODES: readonly ChangeControlMode[] = ['off', 'admins', 'two_people'];

export function ChangeControl({ org }: { readonly org: Organization }) {
  const whyNot = useWhyNot('manage_org');
  const current = org.change_control;
  // What was chosen while the saved mode was still being read again stays chosen.
  const [chosen, setChosen] = useState<ChangeControlMode>();
  const mode = chosen ?? current;
  const write = useWrite(putChangeControl, {
    done: (saved) => `Change control: ${LABELS[saved.mode]}`,
    onDone: (saved) => setChosen((now) => (now === saved.mode ? undefined : now)),
  });
  return (
    <Panel title="Change control" note={LABELS[current]}>
      <p className="mb-3 text-quiet">
        Who can change policies, their attachments, waivers, and trust. Admins only: members cannot. Two people: one
        person requests a change, and another person, who is an admin, approves it. Leaving this mode also needs
        approval.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Change control"
          choices={MODES.map((id) => ({ id, label: LABELS[id] }))}
          value={mode}
          onChange={(id) => setChosen(MODES.find((one) => one === id))}
        />
        <Button
          whyNot={whyNot}
          isDisabled={write.isPending || mode === current}
          onPress={() => write.mutate({ params: { org: org.name }, body: { mode } })}
        >
          Save change control
        </Button>
        <Link href={paths.changes(org.name)} className="py-1.5 underline">
          Change requests
        </Link>
      </div>
      {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
    </Panel>
  );
}
