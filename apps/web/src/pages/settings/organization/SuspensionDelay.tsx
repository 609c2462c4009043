import { type Organization, putSuspensionDelay } from '@waymark/contract';
import { useState } from 'react';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Button } from '../../../ui/Button.tsx';
import { Select } from '../../../ui/Fields.tsx';
import { Panel } from '../../../ui/Panel.tsx';

const OFFERED = [0, 1, 4, 8, 24, 48, 72, 168];

export function SuspensionDelay({ org }: { readonly org: Organization }) {
  const whyNot = useWhyNot('manage_org');
  const current = org.suspension_delay_hours;
  const [hours, setHours] = useState(current);
  const write = useWrite(putSuspensionDelay, {
    done: (saved) => `Keys are suspended ${delayWords(saved.hours)} when their creator leaves`,
  });
  // The API accepts other numbers.
  const choices = [...new Set([...OFFERED, current])].sort((one, other) => one - other);
  return (
    <Panel title="Departures" note={`Suspend ${delayWords(current)}`}>
      <p className="mb-3 text-quiet">
        When the identity provider removes a member through SCIM or lowers their role, Waymark suspends the keys and
        workload identities they created. With a delay, pipelines keep working in the meantime, and admins can restore
        individual keys and identities. When an admin removes a member, there is no delay.
      </p>
      <div className="flex flex-wrap items-end gap-3">
        <Select
          label="Suspend keys and identities"
          choices={choices.map((one) => ({ id: String(one), label: delayWords(one) }))}
          value={String(hours)}
          onChange={(id) => setHours(Number(id))}
        />
        <Button
          whyNot={whyNot}
          isDisabled={write.isPending || hours === current}
          onPress={() => write.mutate({ params: { org: org.name }, body: { hours } })}
        >
          Save delay
        </Button>
      </div>
      {write.error && <p className="mt-2 text-bad">{write.error.message}</p>}
    </Panel>
  );
}

function delayWords(hours: number): string {
  if (hours === 0) return 'immediately';
  return hours === 1 ? 'after 1 hour' : `after ${hours} hours`;
}
