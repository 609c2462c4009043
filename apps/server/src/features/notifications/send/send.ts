import type { Send } from './outgoing.ts';
import { sendChat } from './send-chat.ts';
import { sendMail } from './send-mail.ts';
import { sendWebhook } from './send-webhook.ts';

const BY_KIND = { CHAT: sendChat, WEBHOOK: sendWebhook, EMAIL: sendMail } as const satisfies Record<string, Send>;

export const send: Send = (parts, outgoing, attempt) => BY_KIND[outgoing.target.kind](parts, outgoing, attempt);
