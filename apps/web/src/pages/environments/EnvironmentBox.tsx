import { listEnvironments } from '@waymark/contract';
import { useState } from 'react';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { useSettled } from '../../lib/settled.ts';
import { NameBox } from '../../ui/NameBox.tsx';
import { PHYSICAL_TYPES } from './physical-types.ts';

const OFFERED = 20;
const TYPING_MS = 200;

interface EnvironmentBoxProps {
  readonly label: string;
  readonly value?: string | undefined;
  readonly onPick: (name: string) => void;
  /** Leaves out those that are made of others. */
  readonly physical?: boolean;
  readonly placeholder?: string;
}

/** One of the environments, of which there may be thousands: those whose names hold what is typed are offered. */
export function EnvironmentBox({ label, value, onPick, physical = true, placeholder }: EnvironmentBoxProps) {
  const org = useOrg();
  const [typed, setTyped] = useState('');
  const asked = useSettled(typed === value ? '' : typed, TYPING_MS);
  const { data } = useRead(listEnvironments, {
    params: { org },
    query: {
      page: 1,
      per_page: OFFERED,
      ...(physical && { type: PHYSICAL_TYPES }),
      ...(asked !== '' && { name: asked }),
    },
  });
  const found = Array.isArray(data) ? data : (data?.environments ?? []);
  return (
    <NameBox
      label={label}
      what="environment"
      placeholder={placeholder}
      value={value}
      names={found.map(({ name }) => name)}
      onType={setTyped}
      onPick={onPick}
    />
  );
}
