import { Option } from '@commander-js/extra-typings';
import { PAYLOAD_VERSION, type TargetInput } from '@waymark/contract';
import { collect } from '../../resources/options.ts';

export const webhookOption = () =>
  new Option('--webhook <url>', 'webhook URL that receives signed JSON; can be repeated').argParser(collect);
export const chatOption = () =>
  new Option(
    '--chat <url>',
    'incoming webhook URL of a chat service; can be repeated. The URL is a secret: other users of the machine can see flags',
  ).argParser(collect);
export const emailOption = () => new Option('--email <address>', 'email address; can be repeated').argParser(collect);

export interface TargetFlags {
  readonly webhook?: readonly string[] | undefined;
  readonly chat?: readonly string[] | undefined;
  readonly email?: readonly string[] | undefined;
}

export function targetsOf({ webhook = [], chat = [], email = [] }: TargetFlags): TargetInput[] {
  return [
    ...webhook.map((url): TargetInput => ({ type: 'WEBHOOK', webhook: url, payload_version: PAYLOAD_VERSION })),
    ...chat.map((url): TargetInput => ({ type: 'CHAT', webhook: url })),
    ...(email.length > 0 ? [{ type: 'EMAIL' as const, emails: [...email] }] : []),
  ];
}
