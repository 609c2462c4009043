import { paths } from '../../lib/paths.ts';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';

export interface Action {
  readonly fix: string;
  readonly artifacts: readonly { readonly name: string; readonly fingerprint: string }[];
  readonly artifact_count: number;
}

const NAMED = 3;
const SHOWN = 20;

/** The actions that make it pass; the most effective comes first. */
export function ToFix({ org, actions }: { readonly org: string; readonly actions: readonly Action[] }) {
  if (actions.length === 0) return null;
  const left = actions.length - SHOWN;
  return (
    <Panel title="Fixes, most effective first">
      <ol className="list-decimal space-y-2 pl-5">
        {actions.slice(0, SHOWN).map((action) => (
          <li key={action.fix} className="[overflow-wrap:anywhere]">
            {action.fix}
            {action.artifacts.length > 0 && <Helped org={org} action={action} />}
          </li>
        ))}
      </ol>
      {left > 0 && <p className="mt-2 text-quiet">{left} more are in the tree.</p>}
    </Panel>
  );
}

function Helped({ org, action: { artifacts, artifact_count } }: { readonly org: string; readonly action: Action }) {
  const named = artifacts.slice(0, NAMED);
  const left = artifact_count - named.length;
  return (
    <span className="block text-[13px] text-quiet">
      Fixes{' '}
      {named.map(({ name, fingerprint }, place) => (
        <span key={`${name} ${fingerprint}`}>
          {place > 0 && ', '}
          {fingerprint === '' ? (
            name
          ) : (
            <Link className="underline" href={paths.anyArtifact(org, fingerprint)}>
              {name}
            </Link>
          )}
        </span>
      ))}
      {left > 0 && ` and ${left} more`}
    </span>
  );
}

/** If the API returns no small set of actions, the fixes in the tree take its place. */
export function plainActions(fixes: readonly string[]): Action[] {
  return fixes.map((fix) => ({ fix, artifacts: [], artifact_count: 0 }));
}
