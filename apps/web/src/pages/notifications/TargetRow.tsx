import type { NotificationTarget } from '@waymark/contract';
import { Ban, CircleCheck, CircleDashed, CircleX, Mail, MessageSquare, Webhook } from 'lucide-react';
import { paths, withQuery } from '../../lib/paths.ts';
import { useOrg } from '../../lib/route.ts';
import { Link } from '../../ui/Link.tsx';
import { Pill } from '../../ui/Pill.tsx';
import { Time } from '../../ui/Time.tsx';
import { TargetSecret } from './TargetSecret.tsx';
import { useTest } from './TestTarget.tsx';
import { type Health, healthOf, TARGET_WORDS, whereTo } from './target-words.ts';

const KINDS = { WEBHOOK: Webhook, CHAT: MessageSquare, EMAIL: Mail };
const HEALTH: Record<Health, { readonly icon: typeof Ban; readonly word: string; readonly tone: string }> = {
  works: { icon: CircleCheck, word: 'Works', tone: 'bg-good-wash text-good' },
  failing: { icon: CircleX, word: 'Failing', tone: 'bg-bad-wash text-bad' },
  'given-up': { icon: Ban, word: 'Disabled', tone: 'bg-bad-wash text-bad' },
  unused: { icon: CircleDashed, word: 'Nothing sent yet', tone: 'bg-raised text-quiet' },
};

/** Where messages go, and whether they arrive there. */
export function TargetRow({ of, whyNot }: { readonly of: NotificationTarget; readonly whyNot: string | undefined }) {
  const org = useOrg();
  const test = useTest(of);
  const Icon = KINDS[of.type];
  return (
    <li className="space-y-2 py-3">
      <div className="flex flex-wrap items-start gap-x-4 gap-y-2">
        <div className="flex min-w-60 flex-1 gap-2.5">
          <Icon size={16} aria-hidden className="mt-0.5 shrink-0 text-quiet" />
          <div className="min-w-0 [overflow-wrap:anywhere]">
            <p className="flex flex-wrap items-center gap-2">
              <span className="font-medium">{whereTo(of)}</span>
              <span className="text-quiet">{TARGET_WORDS[of.type]}</span>
              <HealthBadge health={healthOf(of)} />
            </p>
            <TargetState of={of} />
          </div>
        </div>
        <div className="flex flex-wrap items-start gap-1">
          {test.button(whyNot)}
          {of.type === 'WEBHOOK' && <TargetSecret id={of.id} to={whereTo(of)} whyNot={whyNot && ''} />}
          <Link
            href={withQuery(paths.deliveries(org), { target: of.id })}
            className="px-3 py-1.5 text-[13px] font-medium no-print"
          >
            Deliveries
          </Link>
        </div>
      </div>
      {test.result}
    </li>
  );
}

function HealthBadge({ health }: { readonly health: Health }) {
  const { icon, word, tone } = HEALTH[health];
  return (
    <Pill icon={icon} tone={tone}>
      {word}
    </Pill>
  );
}

function TargetState({ of }: { readonly of: NotificationTarget }) {
  return (
    <div className="text-[13px] text-quiet">
      {of.type === 'EMAIL' && of.emails.length > 1 && <p>{of.emails.join(', ')}</p>}
      {of.type === 'EMAIL' && of.unconfirmed.length > 0 && <p>Waiting for confirmation: {of.unconfirmed.join(', ')}</p>}
      {of.type === 'EMAIL' && of.unsubscribed.length > 0 && <p>Unsubscribed: {of.unsubscribed.join(', ')}</p>}
      {of.type === 'CHAT' && of.context && <p>Channel {of.context.channel_name}</p>}
      {of.disabled_because !== null ? (
        <p className="text-bad">
          Disabled <Time at={of.disabled_at} />. {of.disabled_because}
        </p>
      ) : (
        of.last_error !== null && (
          <p className="text-bad">
            Failed <Time at={of.last_failure_at} />: {of.last_error}
          </p>
        )
      )}
      {of.last_success_at === null ? (
        <p>No message delivered yet</p>
      ) : (
        <p>
          Last delivered <Time at={of.last_success_at} />
        </p>
      )}
    </div>
  );
}
