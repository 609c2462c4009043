import { discordCharacter, fit, htmlCharacter, slackCharacter, withoutMarks } from './chat-text.ts';
import type { Fact, Glance } from './glance.ts';
import { inert } from './plain-text.ts';

export interface ChatGlance extends Glance {
  readonly link: string;
}

/** Longer than any title, so that a service cuts nothing. */
const TITLE_MAX = 300;
const WHY_MAX = 1500;

/**
 * Slack, Mattermost and others. Slack shows the blocks, in which text is not markup; the text is for its alerts, and
 * for the others, some of which read Markdown.
 */
export function slackBody({ title, why, facts, action, link }: ChatGlance): unknown {
  const plain = (text: string, max: number) => ({
    type: 'plain_text',
    text: fit(inert(text), max, slackCharacter),
    emoji: false,
  });
  const marked = (text: string, max: number) => fit(withoutMarks(inert(text)), max, slackCharacter);
  const anchor = `<${link.replaceAll('&', '&amp;')}|${action}>`;
  const glance = inOneLine(facts);
  return {
    text: [
      marked(title, TITLE_MAX),
      ...(why ? [`Why: ${marked(why, WHY_MAX)}`] : []),
      marked(glance, WHY_MAX),
      anchor,
    ].join('\n'),
    blocks: [
      { type: 'header', text: plain(title, 150) },
      ...(why ? [{ type: 'section', text: plain(why, WHY_MAX) }] : []),
      { type: 'context', elements: [plain(glance, 2000)] },
      { type: 'section', text: { type: 'mrkdwn', text: anchor, verbatim: true } },
    ],
  };
}

/** Teams, through a workflow. Text in runs is not markup; in text blocks it would be Markdown. */
export function teamsBody({ tone, title, why, facts, action, link }: ChatGlance): unknown {
  const literal = (character: string) => character;
  const run = (text: string, style: object = {}) => ({
    type: 'TextRun',
    text: fit(inert(text), WHY_MAX, literal),
    ...style,
  });
  const line = (...inlines: object[]) => ({ type: 'RichTextBlock', inlines });
  const color = { good: 'good', bad: 'attention', neutral: 'default' }[tone];
  const content = {
    $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
    type: 'AdaptiveCard',
    version: '1.4',
    msteams: { width: 'Full' },
    fallbackText: fit(inert(title), TITLE_MAX, htmlCharacter),
    body: [
      line(run(title, { weight: 'bolder', size: 'large', color })),
      ...(why ? [line(run(why))] : []),
      ...brief(facts).map(({ label, value }) => line(run(`${label}: `, { isSubtle: true }), run(value))),
    ],
    actions: [{ type: 'Action.OpenUrl', title: action, url: link }],
  };
  return { type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', content }] };
}

/** Google Chat. The texts of a card are HTML of a few tags. */
export function googleChatBody({ title, why, facts, action, link }: ChatGlance): unknown {
  const text = (from: string) => fit(inert(from), WHY_MAX, htmlCharacter);
  const widgets = [
    { textParagraph: { text: `<b>${text(title)}</b>` } },
    ...(why ? [{ textParagraph: { text: text(why) } }] : []),
    ...brief(facts).map(({ label, value }) => ({
      decoratedText: { topLabel: label, text: text(value), wrapText: true },
    })),
    { buttonList: { buttons: [{ text: action, onClick: { openLink: { url: link } } }] } },
  ];
  return {
    fallbackText: fit(withoutMarks(inert(title)).replace(/[<>]/g, ' '), TITLE_MAX, (character) => character),
    cardsV2: [{ cardId: 'waymark', card: { header: { title: 'Waymark' }, sections: [{ widgets }] } }],
  };
}

/** Discord, with all mentions switched off. */
export function discordBody({ tone, title, why, facts, action, link }: ChatGlance): unknown {
  const text = (from: string, max: number) => fit(inert(from), max, discordCharacter);
  const embed = {
    title: action,
    url: link,
    color: { good: 0x2e7d32, bad: 0xc62828, neutral: 0x607d8b }[tone],
    ...(why && { description: text(why, 4096) }),
    fields: brief(facts).map(({ label, value }) => ({ name: label, value: text(value, 1024), inline: true })),
  };
  return { content: `**${text(title, 1000)}**`, embeds: [embed], allowed_mentions: { parse: [] } };
}

function brief(facts: readonly Fact[]): readonly Fact[] {
  return facts.filter(({ isDetail }) => !isDetail);
}

function inOneLine(facts: readonly Fact[]): string {
  return brief(facts)
    .map(({ label, value }) => `${label}: ${value}`)
    .join(' · ');
}
