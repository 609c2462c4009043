import { listActivity } from '@waymark/contract';
import { paths } from '../../lib/paths.ts';
import { useRead } from '../../lib/queries.ts';
import { Link } from '../../ui/Link.tsx';
import { NewNotice } from '../../ui/NewNotice.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Empty, Loaded } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';

const SHOWN = 12;
/** Changes of what runs and of its requirements. Evidence is left out: it arrives by the hundred. */
const TYPES = ['snapshot', 'environment', 'policy', 'allow_list', 'flow', 'control'];

export function RecentChanges({ org }: { readonly org: string }) {
  const activity = useRead(listActivity, { params: { org }, query: { per_page: SHOWN, type: TYPES } });
  return (
    <Panel
      title="Recent changes"
      flush
      actions={
        <Link href={paths.audit(org, 'activity')} className="text-[13px]">
          All activity
        </Link>
      }
    >
      <NewNotice
        kinds={['environment', 'policy', 'flow', 'control']}
        loadedAt={activity.dataUpdatedAt}
        onShow={() => void activity.refetch()}
      />
      <Loaded of={activity}>
        {({ data }) =>
          data.length === 0 ? (
            <Empty title="No changes yet" />
          ) : (
            <ul className="divide-y divide-line border-t border-line">
              {data.map(({ id, text, html_path, recorded_at }) => (
                <li key={id} className="flex flex-wrap items-baseline gap-x-4 px-4 py-2">
                  <span className="min-w-0 flex-1 basis-64 [overflow-wrap:anywhere]">
                    {html_path === null ? text : <InApp path={html_path}>{text}</InApp>}
                  </span>
                  <span className="text-[13px] text-quiet">
                    <Time at={recorded_at} />
                  </span>
                </li>
              ))}
            </ul>
          )
        }
      </Loaded>
    </Panel>
  );
}

/** A path from the server; anything that would leave the application stays text. */
function InApp({ path, children }: { readonly path: string; readonly children: React.ReactNode }) {
  if (!/^\/[^/\\]/.test(path)) return children;
  return (
    <Link href={path} className="text-ink">
      {children}
    </Link>
  );
}
