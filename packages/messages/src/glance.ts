import type { Message, MessageContent } from './content.ts';
import { nameText, plainText } from './plain-text.ts';
import { calledIn, thingsOf } from './things.ts';

export interface Fact {
  readonly label: string;
  readonly value: string;
  /** For readers with more time. */
  readonly isDetail: boolean;
}

/** What a person has to see first. Everything is unescaped text on one line, of bounded length. */
export interface Glance {
  readonly tone: 'good' | 'bad' | 'neutral';
  /** What happened, and where. */
  readonly title: string;
  readonly why: string | null;
  readonly facts: readonly Fact[];
  /** The label of the link. */
  readonly action: string;
}

const TITLE_NAME_MAX = 50;
const NAME_MAX = 200;
const WHY_MAX = 600;
const LIST_NAME_MAX = 80;
const LISTED_MAX = 5;

export function glanceOf(message: Message): Glance {
  return {
    tone: toneOf(message),
    title: titleOf(message),
    why: whyOf(message),
    facts: factsOf(message),
    action: actionOf(message),
  };
}

/** Without a reason, it shows the fix. */
function whyOf({ trigger, content: { why, fix, apiKey } }: Message): string | null {
  // The number of instances is not a reason, and is in the title.
  if (trigger === 'ON_SCALED_ARTIFACT') return null;
  if (why && trigger === 'ON_COMPLIANT_ENV') return plainText(`It is compliant ${why}`, WHY_MAX);
  if (why) return plainText(why, WHY_MAX) + (fix ? ` What to do: ${plainText(fix, WHY_MAX)}` : '');
  if (trigger === 'TEST') return 'Nothing has happened: this message confirms that delivery works.';
  if (!apiKey) return null;
  if (apiKey.daysLeft <= 0) return 'Requests with this key are rejected. Create a new key.';
  return 'Rotate it before then: afterwards, requests with this key are rejected.';
}

/** The event, for one subject or several. */
const DONE = {
  ON_STARTED_ARTIFACT: ['artifact', 'started'],
  ON_EXITED_ARTIFACT: ['artifact', 'exited'],
  ON_SCALED_ARTIFACT: ['artifact', 'scaled'],
  ON_ALLOWED_ARTIFACT: ['artifact', 'waived'],
  ON_EXPIRING_EVIDENCE: ['artifact', 'about to fail'],
  ON_STARTED_TRAIL: ['trail', 'started'],
  ON_ATTESTED_PROVENANCE: ['artifact', 'reported'],
  ON_ATTESTATION: ['attestation', 'recorded'],
} as const;

function titleOf({ trigger, count, content }: Message): string {
  if (trigger === 'TEST') return 'Test message from Waymark';
  if (trigger === 'ON_NON_COMPLIANT_ENV') return `Non-compliant: ${placeOf(content)}`;
  if (trigger === 'ON_COMPLIANT_ENV') return `Compliant: ${placeOf(content)}`;
  if (trigger === 'api_key_expiry') return keyTitle(content.apiKey);
  const [noun, verb] = DONE[trigger];
  const isBad = isNonCompliant(content);
  const things = numberOf(count, content);
  const times = count > things ? ` ${count} times` : '';
  if (things > 1) {
    const among = isBad ? ', including non-compliant ones' : '';
    return `${things} ${noun}s ${verb}${times} in ${placeOf(content)}${among}`;
  }
  const what = isBad ? `Non-compliant ${noun}` : capital(noun);
  const name = subjectOf(content);
  const named = name === undefined ? '' : `: ${nameText(name, TITLE_NAME_MAX)}`;
  return `${what} ${verb}${times} in ${placeOf(content)}${scaleOf(trigger, count, content)}${named}`;
}

function scaleOf(trigger: Message['trigger'], count: number, { why }: MessageContent): string {
  return trigger === 'ON_SCALED_ARTIFACT' && count === 1 && why ? ` ${plainText(why, TITLE_NAME_MAX)}` : '';
}

/** The number of subjects. One may have several events; only some of many names are stored. */
function numberOf(count: number, content: MessageContent): number {
  const { names, areAll } = thingsOf(content);
  return names.length > 0 && areAll ? Math.min(names.length, count) : count;
}

function capital(word: string): string {
  return word.replace(/^./, (first) => first.toUpperCase());
}

function keyTitle(key: MessageContent['apiKey']): string {
  const name = key ? `: ${nameText(key.description || key.owner, TITLE_NAME_MAX)}` : '';
  const days = key?.daysLeft ?? 0;
  if (days <= 0) return `API key has expired${name}`;
  return `API key expires in ${days} ${days === 1 ? 'day' : 'days'}${name}`;
}

function placeOf({ environment, flow }: MessageContent): string {
  return nameText(environment ?? flow ?? '', TITLE_NAME_MAX);
}

function subjectOf({ attestation, artifact, trail, names }: MessageContent): string | undefined {
  return attestation?.name ?? artifact?.name ?? trail?.name ?? names[0];
}

function isNonCompliant({ attestation, artifact }: MessageContent): boolean {
  return (attestation ?? artifact)?.compliant === false;
}

function toneOf({ trigger, content }: Message): Glance['tone'] {
  if (trigger === 'ON_COMPLIANT_ENV') return 'good';
  if (trigger === 'ON_NON_COMPLIANT_ENV' || trigger === 'api_key_expiry') return 'bad';
  if (trigger === 'ON_EXITED_ARTIFACT' || trigger === 'ON_ALLOWED_ARTIFACT') return 'neutral';
  if (trigger === 'ON_EXPIRING_EVIDENCE') return 'bad';
  return isNonCompliant(content) ? 'bad' : 'neutral';
}

/** In the order in which `linkOf` decides. */
function actionOf({ trigger, content }: Message): string {
  const { artifact, trail, flow, environment, snapshot, apiKey } = content;
  if (trigger === 'ON_ATTESTED_PROVENANCE' && artifact?.provenance) return 'Show artifact';
  if (trail && flow !== null) return 'Show trail';
  if (flow !== null) return 'Show flow';
  if (environment !== null) return snapshot ? `Show snapshot ${snapshot.index}` : 'Show environment';
  return apiKey ? 'Show keys' : 'Open Waymark';
}

function factsOf(message: Message): Fact[] {
  const { content, org, timestamp } = message;
  const { environment, snapshot, flow } = content;
  return [
    ...fact('Environment', environment),
    ...fact('Snapshot', snapshot && `${snapshot.index} (${snapshot.status})`),
    ...fact('Flow', flow),
    ...(numberOf(message.count, content) > 1 ? namesFact(message) : subjectFacts(content)),
    ...keyFacts(content.apiKey),
    ...testFacts(content.test),
    ...fact('Org', org),
    ...fact('Recorded', utcText(timestamp)),
  ];
}

function namesFact({ trigger, count, content }: Message): Fact[] {
  const listed = thingsOf(content)
    .names.slice(0, LISTED_MAX)
    .map((name) => nameText(name, LIST_NAME_MAX));
  if (listed.length === 0) return [];
  const noun = trigger in DONE ? DONE[trigger as keyof typeof DONE][0] : 'artifact';
  const others = numberOf(count, content) - listed.length;
  const text = listed.join(', ') + (others > 0 ? ` and ${others} more` : '');
  const bad = isNonCompliant(content) ? badOf(content) : undefined;
  return [{ label: `${capital(noun)}s`, value: text, isDetail: false }, ...fact('Non-compliant', bad)];
}

function badOf(content: MessageContent): string | undefined {
  const { attestation, artifact } = content;
  return !attestation && artifact ? calledIn(content, artifact) : subjectOf(content);
}

function subjectFacts({ flow, artifact, trail, attestation }: MessageContent): Fact[] {
  const made = artifact?.provenance;
  return [
    ...fact('Artifact', artifact && withStatus(artifact.name, artifact.compliant)),
    ...fact('Fingerprint', artifact?.fingerprint, true),
    ...fact('Flow', made && made.flow !== flow ? made.flow : null),
    ...fact('Trail', trail ? withStatus(trail.name, trail.compliant) : made?.trail),
    ...fact('Commit', made?.commit, true),
    ...fact('Attestation', attestation && withStatus(attestation.name, attestation.compliant)),
    ...fact('Type', attestation?.type, true),
  ];
}

function keyFacts(key: MessageContent['apiKey']): Fact[] {
  if (!key) return [];
  return [
    ...fact('Key', key.description || key.id),
    ...fact('Owner', key.owner),
    ...fact(key.daysLeft > 0 ? 'Expires' : 'Expired', utcText(key.expiresAt)),
  ];
}

function testFacts(test: MessageContent['test']): Fact[] {
  return test ? [...fact('Test of', test.of), ...fact('Sent by', test.by)] : [];
}

function withStatus(name: string, compliant: boolean | null): string {
  const short = nameText(name, NAME_MAX - 16);
  if (compliant === null) return short;
  return `${short} (${compliant ? 'compliant' : 'non-compliant'})`;
}

function fact(label: string, value: string | null | undefined, isDetail = false): Fact[] {
  return value ? [{ label, value: nameText(value, NAME_MAX), isDetail }] : [];
}

function utcText(seconds: number): string {
  const time = new Date(seconds * 1000);
  return Number.isNaN(time.getTime()) ? '' : `${time.toISOString().slice(0, 16).replace('T', ' ')} UTC`;
}
