import { listActions } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { DayInput } from '../../ui/DayInput.tsx';
import { Checkbox, type Choice, Select } from '../../ui/Fields.tsx';
import { whereTo } from '../notifications/target-words.ts';
import { type ChangeSearch, type DeliverySearch, isFiltered } from './delivery-search.ts';
import { DELIVERY_STATES, DELIVERY_WORDS } from './outcomes.ts';

interface FiltersProps {
  readonly search: DeliverySearch;
  readonly change: ChangeSearch;
}

const STATES: readonly Choice[] = [
  { id: '', label: 'All states' },
  ...DELIVERY_STATES.map((id) => ({ id, label: DELIVERY_WORDS[id] })),
];

export function DeliveryFilters({ search, change }: FiltersProps) {
  const notifications = useNotifications(search);
  const targets = useTargets(search);
  return (
    <div className="mb-3 flex flex-wrap items-center gap-2 no-print">
      <Select
        label="State"
        hideLabel
        className="w-36"
        value={search.state ?? ''}
        onChange={(state) => change({ state: (state || undefined) as DeliverySearch['state'], after: undefined })}
        choices={STATES}
      />
      <Select
        label="Notification"
        hideLabel
        className="w-52"
        value={String(search.notification ?? '')}
        onChange={(id) => change({ notification: id || undefined, target: undefined, after: undefined })}
        choices={notifications}
      />
      <Select
        label="Target"
        hideLabel
        className="w-60"
        value={search.target ?? ''}
        onChange={(target) => change({ target: target || undefined, after: undefined })}
        choices={targets}
      />
      <Checkbox
        isSelected={search.test === 'false'}
        onChange={(on) => change({ test: on ? 'false' : undefined, after: undefined })}
      >
        Exclude tests
      </Checkbox>
      <DayInput label="From" value={search.from} onChange={(from) => change({ from, after: undefined })} />
      <DayInput label="To" value={search.to} onChange={(to) => change({ to, after: undefined })} />
      {isFiltered(search) && (
        <Button
          variant="quiet"
          onPress={() =>
            change({
              state: undefined,
              target: undefined,
              notification: undefined,
              test: undefined,
              from: undefined,
              to: undefined,
              after: undefined,
            })
          }
        >
          Clear filters
        </Button>
      )}
    </div>
  );
}

/** Deleted items can still be filtered by: they stay an option while they are in the address. */
function withChosen(choices: readonly Choice[], id: string | undefined, label: string): readonly Choice[] {
  return id === undefined || choices.some((choice) => choice.id === id) ? choices : [...choices, { id, label }];
}

function useNotifications({ notification }: DeliverySearch): readonly Choice[] {
  const { data = [] } = useRead(listActions, { params: { org: useOrg() } });
  const choices = data.map(({ number, name }) => ({ id: String(number), label: name }));
  return withChosen(
    [{ id: '', label: 'All notifications' }, ...choices],
    notification === undefined ? undefined : String(notification),
    `Notification ${notification}`,
  );
}

export function useTargets({
  notification,
  target,
}: Pick<DeliverySearch, 'notification' | 'target'>): readonly Choice[] {
  const { data = [] } = useRead(listActions, { params: { org: useOrg() } });
  const choices = data
    .filter(({ number }) => notification === undefined || number === notification)
    .flatMap(({ name, targets }) => targets.map((each) => ({ id: each.id, label: `${whereTo(each)} of ${name}` })));
  return withChosen([{ id: '', label: 'All targets' }, ...choices], target, 'Removed target');
}
