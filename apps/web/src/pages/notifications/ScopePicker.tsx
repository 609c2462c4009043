import { listEnvironments, listFlows } from '@waymark/contract';
import { X } from 'lucide-react';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Button } from '../../ui/Button.tsx';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';
import type { Kind } from './notification-draft.ts';

interface PickerProps {
  readonly kind: Kind;
  readonly chosen: readonly string[];
  readonly onChange: (names: readonly string[]) => void;
}

const OFFERED = 20;

/** The scope: environments or flows, found by part of their name. */
export function ScopePicker({ kind, chosen, onChange }: PickerProps) {
  const what = kind === 'env' ? 'environments' : 'flows';
  const [asked, onType] = useAsked();
  const names = useNames(kind, asked).filter((name) => !chosen.includes(name));
  return (
    <div>
      <NameBox
        key={chosen.length}
        label={kind === 'env' ? 'Environments to watch' : 'Flows to watch'}
        what={`other ${what}`}
        placeholder={`Add ${kind === 'env' ? 'an environment' : 'a flow'}`}
        value={undefined}
        names={names}
        onType={onType}
        onPick={(name) => {
          onType('');
          onChange([...chosen, name]);
        }}
      />
      <ul className="mt-2 flex flex-wrap gap-1.5">
        {chosen.map((name) => (
          <li
            key={name}
            className="inline-flex max-w-full items-center rounded bg-raised pl-2 text-[13px] [overflow-wrap:anywhere]"
          >
            {name}
            <Button
              variant="quiet"
              className="!p-1"
              aria-label={`Stop watching ${name}`}
              onPress={() => onChange(chosen.filter((each) => each !== name))}
            >
              <X size={13} aria-hidden />
            </Button>
          </li>
        ))}
      </ul>
      {kind === 'env' && (
        <p className="mt-1 text-[12.5px] text-quiet">
          A logical environment includes all its members, even those added later.
        </p>
      )}
    </div>
  );
}

function useNames(kind: Kind, part: string): readonly string[] {
  const org = useOrg();
  const page = { page: 1, per_page: OFFERED };
  const search = part.replaceAll(/[^a-zA-Z0-9.\-_~]/g, '');
  const environments = useRead(
    listEnvironments,
    { params: { org }, query: { ...page, ...(search !== '' && { name: search }) } },
    { enabled: kind === 'env' },
  ).data;
  const flows = useRead(
    listFlows,
    { params: { org }, query: { ...page, ...(search !== '' && { search_by_name: search }) } },
    { enabled: kind === 'flow' },
  ).data;
  const found =
    kind === 'env'
      ? Array.isArray(environments)
        ? environments
        : environments?.environments
      : Array.isArray(flows)
        ? flows
        : flows?.data;
  return (found ?? []).map(({ name }) => name);
}
