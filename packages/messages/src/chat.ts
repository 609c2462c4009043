import { discordBody, googleChatBody, slackBody, teamsBody } from './chat-services.ts';
import { linkText } from './chat-text.ts';
import type { Message } from './content.ts';
import { glanceOf } from './glance.ts';
import { linkOf } from './webhook-body.ts';

/** Returns the body for a chat service, in the format of the service behind the URL. */
export function chatBody(message: Message, url: string, publicUrl: string): unknown {
  const glance = glanceOf(message);
  return BODIES[chatServiceOf(url)]({ ...glance, link: linkText(linkOf(message, publicUrl), publicUrl) });
}

const BODIES = { slack: slackBody, teams: teamsBody, googleChat: googleChatBody, discord: discordBody } as const;

const HOSTS: readonly (readonly [keyof typeof BODIES, RegExp])[] = [
  ['teams', /(^|\.)(logic\.azure\.(com|us|cn)|api\.powerplatform\.(com|us)|webhook\.office\.com)$/],
  ['googleChat', /^chat\.googleapis\.com$/],
  ['discord', /(^|\.)discord(app)?\.com$/],
];

/** By the host; an unknown one is assumed to accept the format of Slack, as most do. */
export function chatServiceOf(url: string): keyof typeof BODIES {
  const { hostname, pathname } = new URL(url);
  // Discord also accepts the format of Slack.
  if (pathname.endsWith('/slack')) return 'slack';
  return HOSTS.find(([, hosts]) => hosts.test(hostname.replace(/\.$/, '')))?.[0] ?? 'slack';
}
