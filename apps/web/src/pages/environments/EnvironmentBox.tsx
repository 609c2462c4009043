import { listEnvironments, physicalTypes } from '@waymark/contract';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { useAsked } from '../../ui/use-asked.ts';

const OFFERED = 20;

interface EnvironmentBoxProps {
  readonly label: string;
  readonly value?: string | undefined;
  readonly onPick: (name: string) => void;
  /** Leaves out logical environments. */
  readonly physical?: boolean;
  readonly placeholder?: string;
}

/** Selects an environment, of which there may be thousands: suggests those whose names contain the typed text. */
export function EnvironmentBox({ label, value, onPick, physical = true, placeholder }: EnvironmentBoxProps) {
  const org = useOrg();
  const [asked, onType] = useAsked(value);
  const { data } = useRead(listEnvironments, {
    params: { org },
    query: {
      page: 1,
      per_page: OFFERED,
      ...(physical && { type: physicalTypes }),
      ...(asked !== '' && { name: asked }),
    },
  });
  const found = Array.isArray(data) ? data : (data?.environments ?? []);
  return (
    <NameBox
      label={label}
      what="environments"
      placeholder={placeholder}
      value={value}
      names={found.map(({ name }) => name)}
      onType={onType}
      onPick={onPick}
    />
  );
}
