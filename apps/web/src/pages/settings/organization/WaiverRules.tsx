import { type Organization, putWaiverRules, REASON_LENGTH_MAX, WAIVER_DAYS_MAX } from '@waymark/contract';
import { useWrite } from '../../../lib/queries.ts';
import { useWhyNot } from '../../../lib/session.ts';
import { Field } from '../../../ui/Fields.tsx';
import { Form } from '../../../ui/Form.tsx';
import { Panel } from '../../../ui/Panel.tsx';

/** What the org demands of new waivers and overrides. */
export function WaiverRules({ org }: { readonly org: Organization }) {
  const { waiver_max_days: days, reason_min_length: length } = org;
  const whyNot = useWhyNot('manage_org');
  const write = useWrite(putWaiverRules, { done: 'Rules for waivers saved' });
  return (
    <Panel title="Waivers and overrides" note={noteOf(days, length)}>
      <p className="mb-3 text-quiet">
        Waivers and overrides always need a reason. New waivers can also be required to expire. Existing ones stay.
      </p>
      <Form
        key={`${days} ${length}`}
        submit="Save rules"
        error={write.error}
        isPending={write.isPending}
        whyNot={whyNot}
        onSubmit={({ waiver_max_days: until = '', reason_min_length: least = '' }) =>
          write.mutate({
            params: { org: org.name },
            body: { waiver_max_days: until === '' ? null : Number(until), reason_min_length: Number(least) },
          })
        }
      >
        <div className="grid gap-3 sm:grid-cols-2">
          <Field
            label="Waivers expire within days"
            name="waiver_max_days"
            type="number"
            help={`1 to ${WAIVER_DAYS_MAX.toLocaleString('en')}; empty if they may last`}
            defaultValue={days === null ? '' : String(days)}
          />
          <Field
            label="Characters of a reason, at least"
            name="reason_min_length"
            type="number"
            isRequired
            help={`0 to ${REASON_LENGTH_MAX}`}
            defaultValue={String(length)}
          />
        </div>
      </Form>
    </Panel>
  );
}

function noteOf(days: number | null, length: number): string {
  const expiry = days === null ? 'Waivers may last' : `Waivers expire within ${days} ${days === 1 ? 'day' : 'days'}`;
  return length === 0 ? expiry : `${expiry}; reasons have at least ${length} characters`;
}
