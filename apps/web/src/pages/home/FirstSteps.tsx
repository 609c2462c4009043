import { listMembers, listServiceAccounts } from '@waymark/contract';
import { CircleCheck, CircleDashed } from 'lucide-react';
import { useEffect } from 'react';
import { serviceUrl, withBase } from '../../lib/base-path.ts';
import { useNewCount } from '../../lib/live.ts';
import { useRead } from '../../lib/queries.ts';
import { useMay } from '../../lib/session.ts';
import { LinkButton } from '../../ui/Button.tsx';
import { CopyButton } from '../../ui/Copy.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { type Has, stepsOf } from './first-steps.ts';

interface FirstStepsProps {
  readonly org: string;
  readonly has: Has;
  readonly loadedAt: number;
  readonly onNews: () => void;
  /** Comes before the steps. */
  readonly children?: React.ReactNode;
}

/** First steps, for an org with little in it. */
export function FirstSteps({ org, has, loadedAt, onNews, children }: FirstStepsProps) {
  const news = useNewCount(['flow', 'trail', 'environment'], loadedAt, undefined, { withOwn: true });
  // The first trail and the first report are waited for, and nobody reads rows that would move.
  useEffect(() => {
    if (news > 0) onNews();
  }, [news, onNews]);
  const steps = stepsOf(serviceUrl(), org, { ...has, ...useWhoIsHere(org) });
  const done = steps.filter(({ isDone }) => isDone).length;
  return (
    <Panel title="First steps" note={`${done} of ${steps.length} done`}>
      {children}
      <ol className="space-y-5">
        {steps.map((step, place) => (
          <li key={step.title} className="flex gap-3">
            {step.isDone ? (
              <CircleCheck size={18} aria-hidden className="mt-0.5 shrink-0 text-good" />
            ) : (
              <CircleDashed size={18} aria-hidden className="mt-0.5 shrink-0 text-quiet" />
            )}
            <div className="min-w-0 flex-1">
              <h3 className="font-semibold">
                {`${place + 1}. ${step.title}`}
                {step.isDone && <span className="ml-2 text-[12.5px] font-normal text-good">done</span>}
              </h3>
              <p className="text-quiet">{step.why}</p>
              {!step.isDone && <HowTo step={step} />}
            </div>
          </li>
        ))}
      </ol>
    </Panel>
  );
}

/** Undefined for roles that do not manage members or service accounts. */
function useWhoIsHere(org: string): Pick<Has, 'serviceAccount' | 'colleague'> {
  const accounts = useRead(listServiceAccounts, { params: { org } }, { enabled: useMay('manage_service_accounts') });
  const members = useRead(
    listMembers,
    { params: { org }, query: { per_page: 2 } },
    { enabled: useMay('manage_members') },
  );
  return {
    ...(accounts.data && { serviceAccount: accounts.data.length > 0 }),
    ...(members.data && { colleague: members.data.total_count > 1 }),
  };
}

function HowTo({ step }: { readonly step: ReturnType<typeof stepsOf>[number] }) {
  const { title, command, pages = [], guides = [] } = step;
  return (
    <div className="mt-2 max-w-3xl space-y-2">
      {command !== undefined && (
        <div className="flex items-start gap-2 rounded-md border border-line bg-raised p-3">
          <pre className="min-w-0 flex-1 overflow-x-auto whitespace-pre-wrap">{command}</pre>
          <CopyButton text={command} what={`command to ${title.toLowerCase()}`} />
        </div>
      )}
      <div className="flex flex-wrap items-center gap-x-3 gap-y-2 text-[13px]">
        {pages.map(({ label, href }) => (
          <LinkButton key={href} href={href}>
            {label}
          </LinkButton>
        ))}
        {guides.map(({ label, href }) => (
          <a key={href} href={withBase(href)}>
            {label}
          </a>
        ))}
      </div>
    </div>
  );
}
