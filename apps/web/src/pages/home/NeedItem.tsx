import { LinkButton } from '../../ui/Button.tsx';
import { type State, StateBadge } from '../../ui/StateBadge.tsx';

/** One line: what it is, since when, and the next step. */
export function NeedItem({
  state,
  word,
  children,
  more,
  step,
  href,
}: {
  readonly state: State;
  readonly word: string;
  readonly children: React.ReactNode;
  readonly more?: React.ReactNode;
  /** The label of the button. */
  readonly step: string;
  readonly href: string;
}) {
  return (
    <li className="flex flex-wrap items-start gap-x-3 gap-y-1 px-4 py-2.5 sm:flex-nowrap">
      <span className="max-sm:w-full sm:w-36 sm:shrink-0">
        <StateBadge state={state} word={word} />
      </span>
      <div className="min-w-0 flex-1 basis-56 [overflow-wrap:anywhere]">
        <p>{children}</p>
        {more !== undefined && <p className="text-[13px] text-quiet">{more}</p>}
      </div>
      <LinkButton href={href} className="sm:ml-auto">
        {step}
      </LinkButton>
    </li>
  );
}
