import type { Environment } from '@waymark/contract';
import { LinkButton } from '../../ui/Button.tsx';
import { Panel } from '../../ui/Panel.tsx';

const SHOWN = 50;

/** Shown where a logical environment has nothing of its own: links to its members. */
export function MembersInstead({
  environment,
  what,
  to,
}: {
  readonly environment: Environment;
  /** What it lacks, such as `snapshots`. */
  readonly what: string;
  readonly to: (member: string) => string;
}) {
  const names = environment.included_environments;
  return (
    <Panel title={`Each member has its own ${what}`}>
      <p className="mb-3">A logical environment combines other environments. Open one of its members:</p>
      <ul className="flex flex-wrap gap-2">
        {names.slice(0, SHOWN).map((name) => (
          <li key={name} className="min-w-0">
            <LinkButton href={to(name)} className="max-w-full">
              <span className="truncate">{name}</span>
            </LinkButton>
          </li>
        ))}
      </ul>
      {names.length > SHOWN && <p className="mt-2 text-quiet">and {names.length - SHOWN} more</p>}
      {names.length === 0 && <p className="text-quiet">No members yet.</p>}
    </Panel>
  );
}
