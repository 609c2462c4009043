import { searchCommitTrails, searchNames } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { Notice, Panel } from '../../ui/Panel.tsx';
import { Loaded } from '../../ui/States.tsx';
import { FoundArtifacts, NothingFound } from './FoundArtifacts.tsx';
import { useByDigits } from './find-artifacts.ts';

const COMMIT_LENGTH = 40;
const TRAILS_SHOWN = 20;

export function FoundByDigits({ sha }: { readonly sha: string }) {
  const org = useOrg();
  const answer = useByDigits(org, sha);
  const commit = answer.data?.commit ?? (sha.length === COMMIT_LENGTH ? sha : null);
  return (
    <Loaded of={answer}>
      {({ artifacts, leftOut }) => (
        <div className="space-y-4">
          {leftOut !== undefined && <Notice kind="info">{leftOut}</Notice>}
          <FoundArtifacts found={artifacts} />
          {commit !== null && <TrailsOf commit={commit} isAll={artifacts.length === 0} />}
          {artifacts.length === 0 && commit === null && <TrailsByPrefix digits={sha} />}
        </div>
      )}
    </Loaded>
  );
}

/** A commit may be known to trails that built nothing, or nothing yet. */
function TrailsOf({ commit, isAll }: { readonly commit: string; readonly isAll: boolean }) {
  const org = useOrg();
  const answer = useRead(
    searchCommitTrails,
    { params: { org, sha: commit }, query: { per_page: TRAILS_SHOWN } },
    { fresh: true },
  );
  return (
    <Loaded of={answer} lines={2}>
      {({ trails, total_count }) => {
        if (trails.length === 0) return isAll ? <NothingFound what={commit} /> : null;
        return (
          <Panel
            title="Trails of the commit"
            note={isAll ? 'No artifacts were built from it yet.' : `${trails.length} of ${total_count}`}
          >
            <ul className="space-y-1">
              {trails.map(({ flow_name, trail_name, branch }) => (
                <li key={`${flow_name} ${trail_name}`}>
                  <Link href={paths.trail(org, flow_name, trail_name)}>
                    {flow_name} / {trail_name}
                  </Link>{' '}
                  {branch !== '' && <span className="text-quiet">on {branch}</span>}
                </li>
              ))}
            </ul>
          </Panel>
        );
      }}
    </Loaded>
  );
}

/** The digits may be the first ones of a commit that built nothing, or nothing yet. */
function TrailsByPrefix({ digits }: { readonly digits: string }) {
  const org = useOrg();
  const answer = useRead(searchNames, { params: { org }, query: { q: digits, limit: TRAILS_SHOWN } }, { fresh: true });
  return (
    <Loaded of={answer} lines={2}>
      {({ trails }) =>
        trails.length === 0 ? (
          <NothingFound what={digits} />
        ) : (
          <Panel title="Trails" note={`Of commits, or with names, that start with ${digits}. No artifacts match.`}>
            <ul className="space-y-1">
              {trails.map(({ flow_name, name }) => (
                <li key={`${flow_name} ${name}`}>
                  <Link href={paths.trail(org, flow_name, name)}>
                    {flow_name} / {name}
                  </Link>
                </li>
              ))}
            </ul>
          </Panel>
        )
      }
    </Loaded>
  );
}
