import { LinkButton } from '../../ui/Button.tsx';
import { type State, StateBadge } from '../../ui/StateBadge.tsx';

/** One line: what it is, since when, and the next step. */
export function NeedItem({
  state,
  word,
  mark,
  children,
  more,
  step,
  href,
  action,
}: {
  readonly state: State;
  readonly word: string;
  /** A second mark below the badge, such as for how long the environment has been stale. */
  readonly mark?: React.ReactNode;
  readonly children: React.ReactNode;
  readonly more?: React.ReactNode;
  /** The label of the button. */
  readonly step: string;
  readonly href: string;
  /** What can be done without leaving the page. */
  readonly action?: React.ReactNode;
}) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5 sm:flex-nowrap">
      <span className="max-sm:w-full sm:w-36 sm:shrink-0">
        <StateBadge state={state} word={word} />
        {mark !== undefined && <span className="block max-sm:ml-2 max-sm:inline">{mark}</span>}
      </span>
      <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
        <p>{children}</p>
        {more !== undefined && <p className="text-[13px] text-quiet">{more}</p>}
      </div>
      <span className="flex flex-wrap gap-2 sm:ml-auto">
        {action}
        <LinkButton href={href}>{step}</LinkButton>
      </span>
    </li>
  );
}
