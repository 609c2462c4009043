import type { ApiKey, Departure } from '@waymark/contract';
import { CircleCheck } from 'lucide-react';
import { dayOfSeconds } from '../../lib/day.ts';
import { useNow } from '../../lib/now.ts';
import { paths, withQuery } from '../../lib/paths.ts';
import { fullestWords } from '../../lib/storage-words.ts';
import { Link } from '../../ui/Link.tsx';
import { Panel } from '../../ui/Panel.tsx';
import { Failure, Loading } from '../../ui/States.tsx';
import { Time } from '../../ui/Time.tsx';
import { waitingWords } from '../changes/change-words.ts';
import { RedeliverRange } from '../deliveries/RedeliverRange.tsx';
import { RenewWaiver } from '../environments/RenewWaiver.tsx';
import { isRotatable, keyAge } from '../settings/keys/key-age.ts';
import { FailingEnvironment, StaleEnvironment } from './FailingEnvironment.tsx';
import { NeedItem } from './NeedItem.tsx';
import { grantWords, messageWords, thingWords } from './needs.ts';
import { NAMED, type Needs } from './use-needs.ts';

/** One line for each thing that needs attention, the most urgent kind first. */
export function NeedsPanel({ org, needs }: { readonly org: string; readonly needs: Needs }) {
  const count =
    needs.failing.total +
    needs.stale.total +
    needs.changes.length +
    needs.targets.length +
    needs.waivers.length +
    needs.departures.length +
    (needs.storage ? 1 : 0) +
    (needs.ledger ? 1 : 0) +
    needs.ownKeys.length +
    needs.accountKeys.length;
  const hasMore = needs.hasMoreDeliveries || needs.unaskedAccounts > 0;
  return (
    <Panel title="Needs attention" flush {...(count > 0 && { note: thingWords(count, hasMore) })}>
      {needs.error && (
        <div className="px-4 pb-3">
          <Failure error={needs.error} retry={needs.refetch} />
        </div>
      )}
      {needs.isPending ? (
        <div className="px-4">
          <Loading lines={4} />
        </div>
      ) : (
        <ul className="divide-y divide-line border-t border-line">
          <Environments org={org} needs={needs} />
          <Ledger org={org} needs={needs} />
          <FullStorage org={org} needs={needs} />
          <Targets org={org} needs={needs} />
          <Departures org={org} needs={needs} />
          <Changes org={org} needs={needs} />
          <ExpiringWaivers org={org} needs={needs} />
          <Keys org={org} needs={needs} />
          {count === 0 && !needs.error && !needs.areKeysPending && <Nothing hasMore={hasMore} />}
          <NotChecked org={org} needs={needs} />
        </ul>
      )}
    </Panel>
  );
}

interface PartProps {
  readonly org: string;
  readonly needs: Needs;
}

/** Green only if everything was checked. */
function Nothing({ hasMore }: { readonly hasMore: boolean }) {
  if (hasMore) return <li className="px-4 py-4">No problems among the items checked.</li>;
  return (
    <li className="flex items-center gap-2 px-4 py-4">
      <CircleCheck size={17} aria-hidden className="shrink-0 text-good" />
      No problems. Every evaluated environment is compliant and reporting, and nothing expires soon.
    </li>
  );
}

function NotChecked({ org, needs: { areKeysPending, hasMoreDeliveries, unaskedAccounts } }: PartProps) {
  return (
    <>
      {hasMoreDeliveries && (
        <li className="px-4 py-2.5 text-[13px] text-quiet">
          {'Only the newest failed or waiting messages were checked. '}
          <Link href={paths.deliveries(org)} className="underline">
            See all deliveries
          </Link>
        </li>
      )}
      {areKeysPending && (
        <li data-loading className="px-4 py-2.5 text-[13px] text-quiet">
          Checking the keys of service accounts …
        </li>
      )}
      {unaskedAccounts > 0 && (
        <li className="px-4 py-2.5 text-[13px] text-quiet">
          {`Keys of ${unaskedAccounts} more service accounts were not checked. `}
          <Link href={paths.settings(org, 'service-accounts')} className="underline">
            See all service accounts
          </Link>
        </li>
      )}
    </>
  );
}

function Environments({ org, needs: { failing, stale } }: PartProps) {
  const left = failing.total - failing.rows.length + stale.total - stale.rows.length;
  return (
    <>
      {failing.rows.map((environment) => (
        <FailingEnvironment key={environment.id} of={environment} />
      ))}
      {stale.rows.map((environment) => (
        <StaleEnvironment key={environment.id} of={environment} />
      ))}
      <More count={left} what="environments" href={paths.environments(org)} />
    </>
  );
}

function Ledger({ org, needs: { ledger } }: PartProps) {
  if (!ledger) return null;
  return (
    <NeedItem
      state="non-compliant"
      word={ledger.word}
      step="Show ledger"
      href={paths.audit(org, 'ledger')}
      more="Ask the operator of this installation to run `waymark-server ledger check`."
    >
      {ledger.says}
    </NeedItem>
  );
}

function FullStorage({ org, needs: { storage } }: PartProps) {
  if (!storage) return null;
  const isFull = storage.level === 'full';
  return (
    <NeedItem
      state={isFull ? 'non-compliant' : 'unknown'}
      word={isFull ? 'Storage full' : 'Almost full'}
      step="Show storage"
      href={paths.settings(org, 'organization')}
      more="Ask the operator of this installation to raise the quota."
    >
      {isFull ? 'New evidence is refused: ' : 'The storage quota is almost used up: '}
      <span className="font-medium">{fullestWords(storage)}</span>
    </NeedItem>
  );
}

function Targets({ org, needs: { targets, hasMoreDeliveries } }: PartProps) {
  return (
    <>
      {targets.slice(0, NAMED).map(({ id, to, count, at, since, state }) => (
        <NeedItem
          key={id}
          state="non-compliant"
          word="Not delivered"
          step="Review deliveries"
          href={withQuery(paths.deliveries(org), { target: id, state, test: 'false', from: dayOfSeconds(since) })}
          // What is waiting is tried again anyway.
          {...(state !== 'waiting' && {
            action: <RedeliverRange search={{ target: id, state: 'failed', from: dayOfSeconds(since) }} />,
          })}
        >
          {`${messageWords(count, hasMoreDeliveries)} `}
          <span className="font-medium">{to}</span>
          {', newest '}
          <Time at={at} />
        </NeedItem>
      ))}
      <More count={targets.length - NAMED} what="targets" href={paths.deliveries(org)} />
    </>
  );
}

/** One line for all of them: they have a page of their own. */
function Changes({ org, needs: { changes } }: PartProps) {
  const [first, second] = changes;
  if (!first) return null;
  const askers = [...new Set(changes.map(({ asked_by }) => asked_by))];
  return (
    <NeedItem
      state="unknown"
      word="Approval"
      step={second ? 'Review changes' : 'Review change'}
      href={second ? paths.changes(org) : paths.change(org, first.id)}
      more={`Requested by ${askers.slice(0, NAMED).join(', ')}${askers.length > NAMED ? ' and others' : ''}.`}
    >
      {`${waitingWords(changes.length)}: `}
      <span className="font-medium">{subjectWords(changes)}</span>
      {', the next one expires '}
      <Time at={Math.min(...changes.map(({ expires_at }) => expires_at))} />
    </NeedItem>
  );
}

function subjectWords(changes: Needs['changes']): string {
  const names = [...new Set(changes.map(({ subject }) => subject.name))];
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.slice(0, NAMED).join(', ')}${more}`;
}

function Departures({ org, needs: { departures } }: PartProps) {
  return (
    <>
      {departures.slice(0, NAMED).map((departure) => (
        <NeedItem
          key={departure.login}
          state={departure.suspends_at === null ? 'non-compliant' : 'unknown'}
          word={departure.suspends_at === null ? 'Keys suspended' : 'Keys suspended soon'}
          step="Review keys"
          href={reviewPath(org, departure)}
          more={`Service accounts: ${departure.service_accounts.slice(0, NAMED).join(', ')}${
            departure.service_accounts.length > NAMED ? ` and ${departure.service_accounts.length - NAMED} more` : ''
          }. Restore what pipelines still need.`}
        >
          <span className="font-medium">{departure.display_name}</span>
          {departure.role === null ? ' left through the identity provider: ' : ` is now a ${departure.role}: `}
          {departure.suspends_at === null ? (
            <>
              {`${grantWords(departure)} suspended `}
              <Time at={departure.suspended_at} />
            </>
          ) : (
            <>
              {`${grantWords(departure)} will be suspended `}
              <Time at={departure.suspends_at} />
            </>
          )}
        </NeedItem>
      ))}
      <More count={departures.length - NAMED} what="departures" href={paths.settings(org, 'service-accounts')} />
    </>
  );
}

function reviewPath(org: string, { service_accounts: [first, second] }: Departure): string {
  return first !== undefined && second === undefined
    ? paths.serviceAccount(org, first)
    : paths.settings(org, 'service-accounts');
}

function ExpiringWaivers({ org, needs: { waivers } }: PartProps) {
  return (
    <>
      {waivers.slice(0, NAMED).map((waiver) => (
        <NeedItem
          key={waiver.id}
          state="waived"
          word="Expires soon"
          step="Review waiver"
          href={paths.environmentPolicies(org, waiver.environment_name)}
          action={<RenewWaiver of={waiver} />}
          more={`${waiver.user_name}: ${waiver.description}`}
        >
          {'The waiver for '}
          <span className="font-medium">{waiver.artifact_name}</span>
          {' in '}
          <Link href={paths.environment(org, waiver.environment_name)} className="underline">
            {waiver.environment_name}
          </Link>
          {' expires '}
          <Time at={waiver.expires_at} />
        </NeedItem>
      ))}
      <More count={waivers.length - NAMED} what="waivers" href={paths.audit(org, 'exceptions')} />
    </>
  );
}

function Keys({ org, needs: { ownKeys, accountKeys } }: PartProps) {
  const now = useNow();
  return (
    <>
      {ownKeys.slice(0, NAMED).map((key) => (
        <NeedItem
          key={key.id}
          state="unknown"
          word={keyAge(key, now).state === 'expired' ? 'Expired' : 'Expires soon'}
          step={keyStep(key, now)}
          href={paths.settings(org, 'keys')}
        >
          {'Your key '}
          <span className="font-medium">{key.description}</span>
          {` ${keyAge(key, now).says}`}
        </NeedItem>
      ))}
      {accountKeys.slice(0, NAMED).map((key) => (
        <NeedItem
          key={key.id}
          state="unknown"
          word={keyAge(key, now).state === 'expired' ? 'Expired' : 'Expires soon'}
          step={keyStep(key, now)}
          href={paths.serviceAccount(org, key.account)}
        >
          {'The key '}
          <span className="font-medium">{key.description}</span>
          {` of service account ${key.account} ${keyAge(key, now).says}`}
        </NeedItem>
      ))}
      <More
        count={Math.max(0, ownKeys.length - NAMED) + Math.max(0, accountKeys.length - NAMED)}
        what="keys"
        href={paths.settings(org, 'service-accounts')}
      />
    </>
  );
}

function keyStep(key: ApiKey, now: number): string {
  return isRotatable(key, now) ? 'Rotate key' : 'Create key';
}

function More({ count, what, href }: { readonly count: number; readonly what: string; readonly href: string }) {
  if (count <= 0) return null;
  return (
    <li className="px-4 py-2.5 text-[13px]">
      <Link href={href}>{`${count} more ${what}`}</Link>
    </li>
  );
}
