import { REDELIVERIES_MAX, redeliverRange } from '@waymark/contract';
import { useState } from 'react';
import { counted } from '../../lib/counted.ts';
import { dayEnd, dayStart } from '../../lib/day.ts';
import { useNow } from '../../lib/now.ts';
import { usePreferences } from '../../lib/preferences.ts';
import { useWrite } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useWhyNot } from '../../lib/session.ts';
import type { Zone } from '../../lib/time.ts';
import { DialogButton } from '../../ui/Dialog.tsx';
import { Field, Select } from '../../ui/Fields.tsx';
import { type Filled, Form } from '../../ui/Form.tsx';
import { Notice } from '../../ui/Panel.tsx';
import { useTargets } from './DeliveryFilters.tsx';
import type { DeliverySearch } from './delivery-search.ts';
import { momentSeconds, momentText } from './moment.ts';

const DAY = 86_400;
const STATES = [
  { id: 'failed', label: 'Failed' },
  { id: 'dropped', label: 'Dropped' },
  { id: 'delivered', label: 'Delivered' },
  { id: 'all', label: 'All' },
] as const;
type State = (typeof STATES)[number]['id'];

export function RedeliverRange({ search }: { readonly search: DeliverySearch }) {
  const whyNot = useWhyNot('manage_notifications');
  return (
    <DialogButton label="Redeliver …" title="Redeliver messages" whyNot={whyNot}>
      {(close) => <RangeForm search={search} onClose={close} />}
    </DialogButton>
  );
}

function RangeForm({ search, onClose }: { readonly search: DeliverySearch; readonly onClose: () => void }) {
  const org = useOrg();
  const { zone } = usePreferences();
  const now = useNow();
  const [state, setState] = useState<State>(STATES.find(({ id }) => id === search.state)?.id ?? 'failed');
  const [target, setTarget] = useState(search.target ?? '');
  const targets = useTargets(search);
  // On Home the line with this dialog goes away once nothing failed any more, so the outcome is also said there.
  const write = useWrite(redeliverRange, {
    done: ({ redelivered }) => `${counted(redelivered, 'message')} queued again`,
  });
  // The cursor of the last response is valid only for the same query.
  const [isChanged, setChanged] = useState(false);
  const next = isChanged ? null : (write.data?.next ?? null);
  const submit = (filled: Filled) => {
    const times = timesOf(filled, zone);
    setChanged(false);
    write.mutate({
      params: { org },
      body: {
        ...times,
        state,
        target_id: target || null,
        notification: search.notification ?? null,
        after: next,
      },
    });
  };
  return (
    <Form
      submit={next ? 'Redeliver the next ones' : 'Redeliver'}
      error={write.error}
      isPending={write.isPending}
      onSubmit={submit}
      onCancel={onClose}
    >
      <p className="text-quiet">
        Waymark queues them again, oldest first, with the same ID and content. It skips tests, delivered emails, and
        messages to removed or disabled targets.
      </p>
      <div className="grid gap-3 sm:grid-cols-2">
        <Field
          label="Created from"
          name="from_timestamp"
          type="datetime-local"
          isRequired
          onChange={() => setChanged(true)}
          defaultValue={momentText(dayStart(search.from) ?? now - DAY, zone)}
        />
        <Field
          label="Created until"
          name="to_timestamp"
          type="datetime-local"
          isRequired
          onChange={() => setChanged(true)}
          defaultValue={momentText(Math.min(dayEnd(search.to) ?? now + 60, now + 60), zone)}
        />
      </div>
      <p className="text-[13px] text-quiet">Times are {zone === 'utc' ? 'in UTC' : 'local'}.</p>
      <Select
        label="Outcome"
        value={state}
        onChange={(id) => {
          setState(id as State);
          setChanged(true);
        }}
        choices={STATES}
      />
      <Select
        label="Target"
        value={target}
        onChange={(id) => {
          setTarget(id);
          setChanged(true);
        }}
        choices={targets}
      />
      {write.data && <Result {...write.data} />}
    </Form>
  );
}

/** Includes the whole minute. */
function timesOf(filled: Filled, zone: Zone) {
  return {
    from_timestamp: momentSeconds(filled['from_timestamp'] ?? '', zone) ?? 0,
    to_timestamp: (momentSeconds(filled['to_timestamp'] ?? '', zone) ?? 0) + 59,
  };
}

function Result({ redelivered, next }: { readonly redelivered: number; readonly next: string | null }) {
  if (redelivered === 0)
    return (
      <Notice kind="info" title="Nothing to redeliver">
        No deliveries in this period match.
      </Notice>
    );
  return (
    <Notice kind="good" title={`${redelivered.toLocaleString('en')} queued for redelivery`}>
      {next === null
        ? 'The list shows their outcomes.'
        : `At most ${REDELIVERIES_MAX.toLocaleString('en')} are queued at once, and there are more.`}
    </Notice>
  );
}
