import { type DeliveryAttempt, getDelivery } from '@waymark/contract';
import { factsText } from '../../resources/show.ts';
import { defineCommand } from '../../run/command.ts';
import { showTime } from '../../run/show-time.ts';
import { triggerText } from './triggers.ts';

export const command = defineCommand({
  description: 'Shows every attempt, and with -o json the message itself.',
  examples: [{ say: 'One delivery', run: 'waymark notify deliveries get 01981f2c-7a5e-7c3d-9c0e-2f1d3b4a5c6d' }],
  build: (command) => command.argument('<id>', "id of the delivery, as 'waymark notify deliveries list' shows it"),
  async run(session, [delivery_id]) {
    const delivery = await session
      .client()
      .call(getDelivery, { params: { org: session.need('org'), delivery_id }, signal: session.io.signal });
    return {
      data: delivery,
      text: (style) =>
        factsText(`${style.strong(delivery.description)}: ${delivery.state}`, [
          ['event', triggerText(delivery.event_type)],
          ['to', `${delivery.target.type.toLowerCase()} ${delivery.target.to} (target ${delivery.target.id})`],
          ['notification', delivery.notification?.name],
          ['created', showTime(delivery.created_at, session)],
          ...delivery.attempts.map(
            (one) => [`attempt ${one.number}`, `${showTime(one.at, session)}  ${attemptText(one)}`] as const,
          ),
          ['next attempt', showTime(delivery.next_attempt_at, session)],
        ]),
    };
  },
});

function attemptText({ delivered, status, error, latency_ms, request_id }: DeliveryAttempt): string {
  const came = delivered ? 'arrived' : (error ?? 'failed');
  return `${came}${status === null ? '' : ` (status ${status})`}, ${latency_ms} ms, request ${request_id}`;
}
