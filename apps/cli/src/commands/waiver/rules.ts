import { getOrganization, putWaiverRules } from '@waymark/contract';
import { usageError } from '../../run/cli-error.ts';
import { defineCommand } from '../../run/command.ts';

export const command = defineCommand({
  description:
    'Shows what the organization demands of waivers and overrides. With an option, changes it, for admins. Existing ' +
    'waivers and overrides stay as they are.',
  examples: [
    { say: 'The rules', run: 'waymark waiver rules' },
    { say: 'Waivers expire within 30 days', run: 'waymark waiver rules --max-days 30' },
    { say: 'Waivers may last', run: 'waymark waiver rules --max-days none' },
  ],
  build: (command) =>
    command
      .option('--max-days <days>', 'in how many days a new waiver must expire, or none')
      .option('--reason-min-length <characters>', 'how many characters a reason must have'),
  async run(session, _, { maxDays, reasonMinLength }) {
    const params = { org: session.need('org') };
    const { signal } = session.io;
    const { waiver_max_days, reason_min_length } = await session.client().call(getOrganization, { params, signal });
    const rules = {
      waiver_max_days: maxDays === undefined ? waiver_max_days : daysOf(maxDays),
      reason_min_length:
        reasonMinLength === undefined ? reason_min_length : numberOf('--reason-min-length', reasonMinLength),
    };
    const isChange = maxDays !== undefined || reasonMinLength !== undefined;
    if (isChange) await session.client().call(putWaiverRules, { params, body: rules, signal });
    return { data: rules, text: textOf(rules) };
  },
});

function daysOf(text: string): number | null {
  return text === 'none' ? null : numberOf('--max-days', text);
}

function numberOf(option: string, text: string): number {
  if (!/^\d{1,6}$/.test(text))
    throw usageError(`${option} '${text}' is not a whole number`, `Use a number, such as ${option} 30`);
  return Number(text);
}

function textOf({
  waiver_max_days: days,
  reason_min_length: length,
}: {
  readonly waiver_max_days: number | null;
  readonly reason_min_length: number;
}): string {
  const expiry =
    days === null ? 'Waivers may last.' : `Waivers must expire within ${days} ${days === 1 ? 'day' : 'days'}.`;
  const reason =
    length === 0
      ? 'Waivers and overrides need a reason.'
      : `Waivers and overrides need a reason of at least ${length} characters.`;
  return `${expiry} ${reason}`;
}
